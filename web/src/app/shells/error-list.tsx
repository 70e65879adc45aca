// What went wrong, after its toast is gone: the newest first, until somebody has read it and clears it.
import { formatDateTime } from '@/lib/format/date'
import { useCurrentUser } from '@/session/use-session'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { EmptyState } from '@/ui/empty-state'
import { Icon } from '@/ui/icon'
import { clearErrors, KEPT_ERRORS_LIMIT, type KeptError, markErrorsRead } from '@/ui/toast/kept-errors'
import { useKeptErrors, useUnreadErrors } from './use-kept-errors'

type ErrorListProps = { open: boolean; onClose: () => void }

/** Stays mounted while it is closed: closing gives the focus back to where it was opened. */
export function ErrorList({ open, onClose }: ErrorListProps) {
  const errors = useKeptErrors()
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Notifications"
      actions={errors.length > 0 && <Actions onDone={onClose} />}
    >
      {errors.length === 0 ? (
        <EmptyState icon="bell" title="Nothing went wrong">
          <p>
            What fails is said for a few seconds. Here you find it afterwards, until you clear it, sign out or load the
            page anew.
          </p>
        </EmptyState>
      ) : (
        <Errors errors={errors} />
      )}
    </Dialog>
  )
}

function Errors({ errors }: { errors: readonly KeptError[] }) {
  const { orgTimezone } = useCurrentUser()
  return (
    <>
      <p className="mb-3 text-note text-muted">
        What could not be done, newest first. The newest {KEPT_ERRORS_LIMIT} are kept in this tab alone.
      </p>
      <ol aria-label="What went wrong" className="grid gap-2">
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
                New
              </Badge>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}

/** Either is the end of the visit: there is nothing left to look at. */
function Actions({ onDone }: { onDone: () => void }) {
  const unread = useUnreadErrors()
  const run = (change: () => void) => () => {
    change()
    onDone()
  }
  return (
    <>
      <Button variant="ghost" icon="trash" onClick={run(clearErrors)}>
        Clear the list
      </Button>
      {unread > 0 && (
        <Button variant="secondary" icon="check" onClick={run(markErrorsRead)}>
          Mark all as read
        </Button>
      )}
    </>
  )
}
