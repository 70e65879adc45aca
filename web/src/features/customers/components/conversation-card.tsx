import { describeUnsent } from '@/domain/message'
import { formatRelative } from '@/lib/format/date'
import { useNow } from '@/lib/hooks/use-now'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { LinkButton } from '@/ui/button'
import { Card } from '@/ui/card'
import type { Customer } from '../types'

const MINUTE_MS = 60_000
const AUTHOR_TEXTS = {
  in: (at: string) => t('They wrote {at}', { at }),
  out: (at: string) => t('You wrote {at}', { at }),
  call: (at: string) => t('Call {at}', { at }),
  form: (at: string) => t('Form {at}', { at }),
} as const

function describeLastWord(
  { lastKind, lastStatus, lastAt }: NonNullable<Customer['thread']>,
  now: number,
  timeZone: string,
): string {
  const unsent = lastKind === 'out' ? describeUnsent(lastStatus) : undefined
  const at = formatRelative(lastAt, now, timeZone)
  return unsent
    ? t('{label}, written {at}', { label: unsent.label, at })
    : AUTHOR_TEXTS[lastKind as keyof typeof AUTHOR_TEXTS](at)
}

export function ConversationCard({ customer: { id, thread }, timeZone }: { customer: Customer; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  return (
    <Card
      title={t('Messages')}
      icon="message"
      aside={
        thread &&
        thread.unread > 0 && (
          <Badge tone="info" icon="inbox">
            {t('{count} unread', { count: thread.unread })}
          </Badge>
        )
      }
    >
      <div className="grid justify-items-start gap-3">
        {thread ? (
          <p className="min-w-0 wrap-anywhere">
            <span className="block text-note text-muted">{describeLastWord(thread, now, timeZone)}</span>
            {thread.lastPreview}
          </p>
        ) : (
          <p className="text-muted">{t('They have not written yet. The conversation shows what was sent to them.')}</p>
        )}
        <LinkButton to={paths.thread(id)} variant="secondary" icon="inbox">
          {t('Open the conversation')}
        </LinkButton>
      </div>
    </Card>
  )
}
