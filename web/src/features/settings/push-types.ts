// Devices that get alerts, as the server tells of them.
export type PushDevice = {
  id: string; label: string; createdAt: string; lastSentAt: string | null; seenAt: string | null; deadAt: string | null; fault: string | null; isThisAccount: boolean
}

type Path<P> = { query?: never; header?: never; cookie?: never; path: P }
type Answers<T, S extends number = 200> = { responses: { [K in S]: { headers: Record<string, unknown>; content: { 'application/json': T } } } }
type None<S extends number = 204> = { responses: { [K in S]: { headers: Record<string, unknown>; content?: never } } }
type Body<T> = { requestBody: { content: { 'application/json': T } } }
type Bare = { parameters: { query?: never; header?: never; cookie?: never; path?: never } }

declare module '@/api/schema' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  interface paths {
    '/api/push/key': { get: Bare & Answers<{ publicKey: string }> }
    '/api/push/devices': {
      get: Bare & Answers<PushDevice[]>
      post: Bare & Body<{ endpoint: string; keys: { p256dh: string; auth: string }; label: string }> & Answers<PushDevice, 201>
    }
    '/api/push/devices/{id}': { delete: { parameters: Path<{ id: string }> } & None }
    '/api/push/devices/{id}/test': { post: { parameters: Path<{ id: string }> } & Answers<{ testId: string }, 202> }
  }
}
