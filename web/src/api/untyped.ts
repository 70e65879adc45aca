// Calls of operations whose types the schema does not have yet.
import { api } from './client'

type Answer<T> = { data?: T; error?: unknown; response: Response }
type Call = <T>(path: string, init?: object) => Promise<Answer<T>>

export const untyped = api as unknown as Readonly<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Call>>
