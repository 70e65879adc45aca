// Error log dialog, newest first.
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { EmptyState } from '@/ui/empty-state'
import { Icon } from '@/ui/icon'
import { clearErrors, ERROR_LOG_LIMIT, type LoggedError, markErrorsRead } from '@/ui/toast/error-log'
import { useErrorLog, useUnreadErrorCount } from './use-error-log'

type ErrorListProps = { open: boolean; onClose: () => void }

/** Mounted while closed, so that closing restores focus. */
export function ErrorList({ open, onClose }: ErrorListProps) {
  const errors = useErrorLog()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={t('Notifications')}
      actions={errors.length > 0 && <Actions onDone={onClose} />}
    >
      {errors.length === 0 ? (
        <EmptyState icon="bell" title={t('Nothing went wrong')}>
          <p>
            {t(
              'What fails is said for a few seconds. Here you find it afterwards, until you clear it, sign out or load the page anew.',
            )}
          </p>
        </EmptyState>
      ) : (
        <Errors errors={errors} />
      )}
    </Dialog>
  )
}

function Errors({ errors }: { errors: readonly LoggedError[] }) {
  const { orgTimezone } = useCurrentUser()
  return (
    <>
      <p className="mb-3 text-note text-muted">
        {t('What could not be done, newest first. The newest {limit} are kept in this tab alone.', {
          limit: ERROR_LOG_LIMIT,
        })}
      </p>
      <ol aria-label={t('What went wrong')} className="grid gap-2">
        {errors.map(({ id, title, description, at, isRead }) => (
          <li key={id} className="flex items-start gap-3 rounded-field border border-primary/22 px-3 py-2">
            <Icon name="alert" className="mt-0.5 text-error" />
            <div className="min-w-0 flex-1 wrap-anywhere">
              <p className="font-semibold">{title}</p>
              {description && <p className="text-note text-muted">{description}</p>}
              <time dateTime={new Date(at).toISOString()} className="text-caption text-muted tabular-nums">
                {formatDateTime(at, orgTimezone)}
              </time>
            </div>
            {!isRead && (
              <Badge tone="info" icon="bell">
                {t('New')}
              </Badge>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}

function Actions({ onDone }: { onDone: () => void }) {
  const unread = useUnreadErrorCount()
  const run = (change: () => void) => () => {
    change()
    onDone()
  }
  return (
    <>
      <Button variant="ghost" icon="trash" onClick={run(clearErrors)}>
        {t('Clear the list')}
      </Button>
      {unread > 0 && (
        <Button variant="secondary" icon="check" onClick={run(markErrorsRead)}>
          {t('Mark all as read')}
        </Button>
      )}
    </>
  )
}
