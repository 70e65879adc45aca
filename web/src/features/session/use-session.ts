import { useQuery } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { CurrentUser } from '@/api/client'
import { sessionQueries } from './queries'

export type Session =
  | { status: 'loading' }
  | { status: 'anonymous' }
  | { status: 'unreachable'; error: Error; retry: () => void }
  | { status: 'authenticated'; user: CurrentUser }

/**
 * The session; a remembered user counts while the server is unreachable. With `ask: false` anonymous until another
 * query loads it.
 */
export function useSession({ ask = true } = {}): Session {
  const query = useQuery({ ...sessionQueries.me(), enabled: ask })
  if (query.data) return { status: 'authenticated', user: query.data }
  if (query.data === null) return { status: 'anonymous' }
  if (query.isError) return { status: 'unreachable', error: query.error, retry: () => void query.refetch() }
  return { status: ask ? 'loading' : 'anonymous' }
}

/**
 * The user of the screens behind `RequireAuth`. A context, because the session query may turn anonymous a moment before
 * the guard unmounts them.
 */
export const CurrentUserContext = createContext<CurrentUser | null>(null)

/** The signed-in user, for screens behind `RequireAuth`. */
export function useCurrentUser(): CurrentUser {
  const user = useContext(CurrentUserContext)
  if (!user) throw new Error('useCurrentUser is used outside RequireAuth')
  return user
}
