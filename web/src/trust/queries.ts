// What a business may send before it is known, and the ways to more.
import { queryOptions, useMutation } from '@tanstack/react-query'
import { api, type Schema, unwrap } from '@/api/client'

export type Trust = Schema['TrustView']

/** Among the settings, whose live events keep it fresh. */
export const trustQuery = (orgId: string) =>
  queryOptions({
    queryKey: ['org', orgId, 'settings', 'trust'] as const,
    queryFn: ({ signal }) => unwrap(api.GET('/api/trust', { signal })),
  })

/** Mails the link that proves one's address once more. */
export function useSendProof() {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/api/account/proof')),
    meta: {
      success: { title: 'Mail Sent', description: 'Open the link in it and confirm your address. Look among the unwanted mail too.' },
      failure: { title: 'Not Sent', description: 'The mail could not be sent. Please try again.' },
    },
  })
}
