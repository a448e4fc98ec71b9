export { deskChats, type DeskChatAccess, type DeskChatsOptions } from './desk-chats.ts';
