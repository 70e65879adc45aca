// One proposed address where something is to be sent: why it gets nothing, and the button that changes it.
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { contactMessages as texts } from './messages'
import { useDecideProposal } from './mutations'
import { OtherOwner } from './other-owner'
import type { ContactProposal } from './types'

export function UnusedAddress({ proposal }: { proposal: ContactProposal }) {
  const { id, kind, shown, isUsable } = proposal
  const isOnline = useOnline()
  const use = useDecideProposal('use', kind)
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
      <p className="min-w-0 text-note wrap-anywhere text-muted">
        {kind === 'email' ? t('No email to') : t('No text to')} <BreakableAddress>{shown}</BreakableAddress>:{' '}
        {texts.typedOnly}
        <OtherOwner proposal={proposal} />
      </p>
      {isUsable && (
        <Button
          variant="secondary"
          disabled={!isOnline}
          pending={use.isPending}
          pendingText={t('Saving...')}
          onClick={() => use.mutate(id)}
        >
          {t('Use it')} <span className="sr-only">{shown}</span>
        </Button>
      )}
    </div>
  )
}
