// The page: it loads the conversation of the address, and shows it with `useChat`.
import type { UIMessage } from 'ai';
import { createRoot } from 'react-dom/client';
import { ChatPage } from './chat-page.tsx';

const chatId = location.hash.slice(1) || 'support';
const response = await fetch(`/api/chat/${encodeURIComponent(chatId)}`);
const messages: UIMessage[] = response.ok ? await response.json() : [];
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<ChatPage id={chatId} messages={messages} />);
