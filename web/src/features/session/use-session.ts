import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { CurrentUser } from '@/api/client'
import { sessionQueries } from './queries'

export type Session =
  | { status: 'loading' }
  | { status: 'anonymous' }
  | { status: 'unreachable'; error: Error; retry: () => void }
  | { status: 'authenticated'; user: CurrentUser }

/** What is known of the session; a user remembered from before counts while the server is away. Not asked for, nobody is signed in until somebody does. */
export function useSession({ ask = true } = {}): Session {
  const query = useQuery({ ...sessionQueries.me(), enabled: ask })
  if (query.data) return { status: 'authenticated', user: query.data }
  if (query.data === null) return { status: 'anonymous' }
  if (query.isError) return { status: 'unreachable', error: query.error, retry: () => void query.refetch() }
  return { status: ask ? 'loading' : 'anonymous' }
}

/** Who was let in, for everything behind the door. It is the door that says it: what asked the session itself could be told that nobody is signed in a moment before the door shuts, and break. */
export const CurrentUserContext = createContext<CurrentUser | null>(null)

/** The signed-in user, for screens behind `RequireAuth`. */
export function useCurrentUser(): CurrentUser {
  const user = useContext(CurrentUserContext)
  if (!user) throw new Error('useCurrentUser is used outside RequireAuth')
  return user
}
