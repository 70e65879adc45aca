// A request that waits for a person's word before it is answered.
import { formatWords } from '@/lib/format/words'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { useReleaseLead } from '../mutations'

export function HeldBanner({ leadId, reason }: { leadId: string; reason: string }) {
  const release = useReleaseLead(leadId)
  return (
    <Notice tone="warning" icon="shield" title="This request is held">
      <p>{formatWords(reason)}. No automatic reply has gone out.</p>
      <Button className="mt-3" icon="check" pending={release.isPending} pendingText="Letting it through..." onClick={() => release.mutate()}>Let it through</Button>
    </Notice>
  )
}
