// Where a person's work begins: the office at its leads, a crew at its day.
import { Navigate } from 'react-router-dom'
import { useCurrentUser } from '@/session/use-session'
import { paths } from './paths'

export function Component() {
  const { role } = useCurrentUser()
  return <Navigate to={role === 'crew' ? paths.today : paths.leads} replace />
}
