// Suggested duplicates, never merged automatically.
import { contactMessages } from '@/features/contact-points/messages'
import { formatDate } from '@/lib/format/date'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import type { CustomerDuplicate } from '@/features/contact-points/types'

type DuplicatesNoticeProps = {
  duplicates: readonly CustomerDuplicate[]
  timeZone: string
  onCompare: (id: string) => void
}

export function DuplicatesNotice({ duplicates, timeZone, onCompare }: DuplicatesNoticeProps) {
  const isOnline = useOnline()
  if (duplicates.length === 0) return null
  return (
    <Notice
      tone="info"
      title={
        duplicates.length === 1
          ? t('There may be another record of this person')
          : t('There may be other records of this person')
      }
    >
      <ul className="mt-2 grid gap-2">
        {duplicates.map(({ id, name, phoneShown, email, why, requestedAt }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
            <span className="min-w-0 wrap-anywhere">
              <span className="font-semibold">{name}</span>
              {(phoneShown ?? email) && `, ${phoneShown ?? email}`}
              {requestedAt && (
                <span className="block">
                  {contactMessages.requestDuplicate(name, formatDate(requestedAt, timeZone))}
                </span>
              )}
              <span className="block text-caption text-muted">{why}</span>
            </span>
            <Button variant="secondary" disabled={!isOnline} onClick={() => onCompare(id)}>
              {t('Compare')} <span className="sr-only">{t('with {name}', { name })}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  )
}
