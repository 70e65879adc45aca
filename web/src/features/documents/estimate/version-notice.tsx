// Effect of a new version on the previous one.
import { Notice } from '@/ui/notice'
import type { EstimateView } from './types'

export function VersionNotice({ before: { number, status } }: { before: EstimateView }) {
  return (
    <Notice tone="info" title={`A new version of ${number}`}>
      <p>
        {status === 'approved'
          ? 'That one stays approved until the customer approves the new one.'
          : 'That one can no longer be approved once the new one is made.'}
      </p>
    </Notice>
  )
}
