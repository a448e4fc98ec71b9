import {
  type InfiniteData,
  keepPreviousData,
  QueryClient,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { JsonObject } from 'holdpoint';
import { useInbox } from '../shell/inbox-context.ts';
import type { InboxClient } from './inbox-client.ts';
import type {
  AuditEntry,
  AuditVerification,
  CommentList,
  Delegation,
  DeskEvent,
  Grant,
  Hold,
  HoldDetail,
  HoldFilter,
  Page,
  RequestedChangesList,
  RunQuery,
  RunSummary,
  RunView,
} from './types.ts';

const PAGE = 50;
const AUDIT_PAGE = 200;
export const MAX_GRANTS = 200;
export const MAX_DELEGATIONS = 100;

/** The keys of the page's queries. Everything about a run starts with the key of the run. */
export const queryKeys = {
  holds: ['holds'] as const,
  hold: (id: string) => ['hold', id] as const,
  runs: ['runs'] as const,
  run: (id: string) => ['run', id] as const,
  messages: (runId: string, conversationId: string) =>
    ['run', runId, 'messages', conversationId] as const,
  requestedChanges: (runId: string, holdId: string) =>
    ['run', runId, 'requested-changes', holdId] as const,
  comments: (holdId: string) => ['hold', holdId, 'comments'] as const,
  grants: ['grants'] as const,
  delegations: ['delegations'] as const,
};

/**
 * Creates the cache of the page. Nothing is sent twice: neither requests that failed, nor decisions
 * that an approver made while the browser was offline.
 */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, networkMode: 'always', staleTime: 5_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}

/** Returns the keys of the queries that an event makes out of date. */
export function outdatedKeys({ kind, runId, data }: DeskEvent): readonly (readonly string[])[] {
  if (kind.startsWith('grant-')) return [queryKeys.grants];
  const keys: (readonly string[])[] = [queryKeys.runs, queryKeys.run(runId)];
  const holdId = data['holdId'];
  if (typeof holdId === 'string') keys.push(queryKeys.holds, queryKeys.hold(holdId));
  if (kind === 'hold-settled') keys.push(queryKeys.grants);
  return keys;
}

/** An endless list: the items so far, and how to load more. */
export type ListQuery<Item> = UseInfiniteQueryResult<InfiniteData<Page<Item>>>;

/** Loads pending holds, the oldest first. A list stays while another filter loads. */
export function useHolds(filter: HoldFilter): ListQuery<Hold> {
  const { client } = useInbox();
  return useInfiniteQuery({
    queryKey: [...queryKeys.holds, filter],
    queryFn: ({ pageParam }) => loadHolds(client, filter, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

/** Loads the page after `after`. The desk filters a part at a time, so a page may be empty and not the last. */
async function loadHolds(
  client: InboxClient,
  filter: HoldFilter,
  after: string | undefined,
): Promise<Page<Hold>> {
  const load = (cursor: string | undefined) =>
    client.holds({ ...filter, limit: PAGE, ...(cursor !== undefined && { after: cursor }) });
  let page = await load(after);
  while (page.items.length === 0 && page.next !== undefined) page = await load(page.next);
  return page;
}

/** Returns the items of all loaded pages, each once. */
export function itemsOf<Item extends { readonly id: string }>(
  data: InfiniteData<Page<Item>> | undefined,
): readonly Item[] {
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

export function useHold(id: string): UseQueryResult<HoldDetail> {
  const { client } = useInbox();
  return useQuery({ queryKey: queryKeys.hold(id), queryFn: () => client.hold(id) });
}

/** Loads runs, the latest first: all, or those whose id, agent or conversation is `text`. */
export function useRuns(
  states: NonNullable<RunQuery['states']>,
  text: string,
): ListQuery<RunSummary> {
  const { client } = useInbox();
  return useInfiniteQuery({
    queryKey: [...queryKeys.runs, states, text],
    queryFn: ({ pageParam: after }) =>
      findRuns(client, text, { states, limit: PAGE, ...(after !== undefined && { after }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
}

async function findRuns(
  client: InboxClient,
  text: string,
  query: RunQuery,
): Promise<Page<RunSummary>> {
  if (text === '') return client.runs(query);
  if (/^[0-9a-f]{32}$/.test(text)) return { items: [await client.run(text)] };
  const byAgent = await client.runs({ ...query, agent: text });
  if (byAgent.items.length > 0) return byAgent;
  return client.runs({ ...query, conversationId: text });
}

export function useRun(id: string): UseQueryResult<RunView> {
  const { client } = useInbox();
  return useQuery({ queryKey: queryKeys.run(id), queryFn: () => client.run(id) });
}

/** Loads the pending holds of a run. */
export function useHoldsOfRun(runId: string): UseQueryResult<readonly Hold[]> {
  const { client } = useInbox();
  return useQuery({
    queryKey: [...queryKeys.run(runId), 'holds'],
    queryFn: async () => (await client.holds({ runId, limit: PAGE })).items,
  });
}

export function useMessages(
  runId: string,
  conversationId: string,
): UseQueryResult<readonly JsonObject[]> {
  const { client } = useInbox();
  return useQuery({
    queryKey: queryKeys.messages(runId, conversationId),
    queryFn: async () => (await client.history(conversationId)).messages,
  });
}

export function useAudit(runId: string): ListQuery<AuditEntry> {
  const { client } = useInbox();
  return useInfiniteQuery({
    queryKey: [...queryKeys.run(runId), 'audit'],
    queryFn: ({ pageParam: after }) =>
      client.audit(runId, { limit: AUDIT_PAGE, ...(after !== undefined && { after }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}

export function useVerification(runId: string): UseQueryResult<AuditVerification> {
  const { client } = useInbox();
  return useQuery({
    queryKey: [...queryKeys.run(runId), 'verification'],
    queryFn: () => client.verifyAudit(runId),
  });
}

export function useGrants(): UseQueryResult<Page<Grant>> {
  const { client } = useInbox();
  return useQuery({
    queryKey: queryKeys.grants,
    queryFn: () => client.grants({ limit: MAX_GRANTS }),
  });
}

export function useDelegations(): UseQueryResult<Page<Delegation>> {
  const { client } = useInbox();
  return useQuery({
    queryKey: queryKeys.delegations,
    queryFn: () => client.delegations({ limit: MAX_DELEGATIONS }),
  });
}

export function useComments(holdId: string): UseQueryResult<CommentList> {
  const { client } = useInbox();
  return useQuery({
    queryKey: queryKeys.comments(holdId),
    queryFn: () => client.comments(holdId),
  });
}

/** Loads the changes that approvers requested about a hold and about earlier calls of its tool. */
export function useRequestedChanges({
  id,
  runId,
  kind,
}: Pick<Hold, 'id' | 'runId' | 'kind'>): UseQueryResult<RequestedChangesList> {
  const { client } = useInbox();
  return useQuery({
    queryKey: queryKeys.requestedChanges(runId, id),
    queryFn: () => client.requestedChanges(id),
    enabled: kind === 'approval',
  });
}
