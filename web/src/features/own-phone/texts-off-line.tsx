// Where the business cannot text: the reason, and the way to a number.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api, unwrap } from '@/api/client'
import { sendingNumberKey } from '@/domain/query-keys'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'

/** Why no text leaves; undefined where texts leave, and for crews, who may not read it. */
export function useTextsOffReason(): string | undefined {
  const { orgId, role } = useCurrentUser()
  const { data: number } = useQuery({
    queryKey: sendingNumberKey(orgId),
    queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number', { signal })),
    enabled: role !== 'crew',
  })
  return number?.why ?? undefined
}

export function TextsOffLine({ why, fact = t('Texts are off') }: { why: string; fact?: string }) {
  return (
    <p className="mt-2 text-note text-muted">
      {fact}: {why}.{' '}
      <Link to={paths.textingNumber} className="text-link">
        {t('Set up a number')}
      </Link>
    </p>
  )
}
