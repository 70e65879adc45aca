// What keeps the messages of the business from leaving now.
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '@/api/client'
import { sendingNumberKey, trustKey } from '@/domain/query-keys'
import { isSendingBlocked } from '@/domain/trust'
import { useCurrentUser } from '@/features/session/use-session'
import type { SendBlocks } from './send-blocks'

/** Unknown for crews, who may not read it. */
export function useSendBlocks(): SendBlocks {
  const { orgId, role } = useCurrentUser()
  const enabled = role !== 'crew'
  const number = useQuery({
    queryKey: sendingNumberKey(orgId),
    queryFn: ({ signal }) => unwrap(api.GET('/api/sending-number', { signal })),
    enabled,
  })
  const trust = useQuery({
    queryKey: trustKey(orgId),
    queryFn: ({ signal }) => unwrap(api.GET('/api/trust', { signal })),
    enabled,
  })
  return {
    textsOff: number.data && (number.data.why ?? null),
    isBlocked: trust.data && isSendingBlocked(trust.data),
  }
}
