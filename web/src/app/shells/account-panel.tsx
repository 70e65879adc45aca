// User and theme panel.
import { Link } from 'react-router-dom'
import { ROLE_LABELS } from '@/domain/org'
import { isDemoMode } from '@/lib/demo'
import { paths } from '@/lib/paths'
import { setSolidPanels, setTheme, useSolidPanels, useTheme } from '@/lib/theme'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Icon } from '@/ui/icon'
import { Toggle } from '@/ui/toggle'
import { CountBadge } from './count-badge'
import { useUnreadErrorCount } from './use-error-log'

const ROW =
  'flex min-h-12 w-full items-center gap-3 rounded-field border border-primary/30 px-3 text-left hover:bg-primary/8'

type AccountPanelProps = {
  /** Closes the overlay. */ onNavigate?: () => void
  /** Opens the error log. */ onErrors: () => void
}

export function AccountPanel({ onNavigate, onErrors }: AccountPanelProps) {
  const user = useCurrentUser()
  const theme = useTheme()
  const isSolid = useSolidPanels()
  return (
    <div className="grid gap-3">
      <div className="border-b border-primary/22 pb-3">
        <p className="font-semibold">{user.name}</p>
        <p className="text-note text-muted">
          <BreakableAddress>{user.email}</BreakableAddress>
        </p>
        <p className="text-note text-muted">
          {ROLE_LABELS[user.role]} at {user.orgName}
        </p>
      </div>
      <div>
        <Toggle
          label="Day theme"
          hint="Bright, for work in sunlight"
          checked={theme === 'toolbox-day'}
          onChange={(isDay) => setTheme(isDay ? 'toolbox-day' : 'toolbox')}
        />
        <Toggle
          label="Solid panels"
          hint="No see-through glass, full outlines"
          checked={isSolid}
          onChange={setSolidPanels}
        />
      </div>
      <ErrorsRow onErrors={onErrors} />
      {!isDemoMode() && (
        <Link to={paths.account} onClick={onNavigate} className={ROW}>
          <Icon name="shield" className="text-primary" />
          Your account
        </Link>
      )}
      {/* The demonstration's public form takes no requests. */}
      {!isDemoMode() && <RequestForm orgSlug={user.orgSlug} />}
    </div>
  )
}

function ErrorsRow({ onErrors }: { onErrors: () => void }) {
  const unread = useUnreadErrorCount()
  return (
    <button type="button" aria-haspopup="dialog" onClick={onErrors} className={ROW}>
      <Icon name="bell" className="text-primary" />
      Notifications
      {unread > 0 && <CountBadge count={unread} tone="error" accessibleLabel="unread" className="ml-auto" />}
    </button>
  )
}

function RequestForm({ orgSlug }: { orgSlug: string }) {
  return (
    <a href={paths.publicLead(orgSlug)} target="_blank" rel="noopener" className={ROW}>
      <Icon name="external" className="text-primary" />
      <span>
        Open your request form<span className="sr-only"> (new tab)</span>
      </span>
    </a>
  )
}
