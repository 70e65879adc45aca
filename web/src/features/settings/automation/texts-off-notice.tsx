// Notice where the business cannot text.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { capitalize } from '@/lib/format/identifier'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Notice } from '@/ui/notice'
import { sendingNumberQuery } from '../organization/sending-number'

/** Empty where texts leave. */
export function TextsOffNotice() {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  if (!number?.why) return null
  return (
    <Notice tone="info" title="Texts are off">
      {capitalize(number.why)}. Customers are answered by email only.{' '}
      <Link to={paths.textingNumber} className="text-link">
        Set up a number
      </Link>
    </Notice>
  )
}
