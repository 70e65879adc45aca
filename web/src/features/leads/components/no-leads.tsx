import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { EmptyState } from '@/ui/empty-state'
import { toast } from '@/ui/toast/toast-store'
import { leadsMessages } from '../messages'

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    toast.success(leadsMessages.copied.title, leadsMessages.copied.description)
  } catch {
    // Browsers refuse without a secure address or a permission; the link can still be selected.
    toast.error(leadsMessages.copyFailed.title, leadsMessages.copyFailed.description)
  }
}

export function NoLeads() {
  const { orgSlug } = useCurrentUser()
  const path = paths.publicLead(orgSlug)
  const link = `${globalThis.location.origin}${path}`
  return (
    <div className="glass-card">
      <EmptyState
        icon="inbox"
        title={t('No leads yet')}
        action={
          <Button icon="copy" onClick={() => void copy(link)}>
            {t('Copy link')}
          </Button>
        }
      >
        <p>
          {t(
            'Every request for work lands here the moment it is sent. No one has used your form yet: put its link on your website, or send it to a customer.',
          )}
        </p>
        <p className="mt-4 rounded-field border border-primary/30 bg-base-200 p-3 text-left text-note select-all">
          <a href={path} target="_blank" rel="noopener noreferrer" className="text-link">
            <BreakableAddress>{link}</BreakableAddress>
            <span className="sr-only"> {t('(new tab)')}</span>
          </a>
        </p>
      </EmptyState>
    </div>
  )
}
