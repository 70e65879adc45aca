// User and theme panel.
import { useId } from 'react'
import { Link } from 'react-router-dom'
import { ROLE_LABELS } from '@/domain/org'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { chooseTheme, setSolidPanels, type ThemeChoice, useSolidPanels, useThemeChoice } from '@/lib/theme'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Icon, type IconName } from '@/ui/icon'
import { Toggle } from '@/ui/toggle'
import { CountBadge } from './count-badge'
import { useUnreadErrorCount } from './use-error-log'

const ROW =
  'flex min-h-12 w-full items-center gap-3 rounded-field border border-primary/30 px-3 text-left hover:bg-primary/8'

const CHOICE =
  'relative flex min-h-11 flex-1 cursor-pointer items-center justify-center gap-1.5 rounded-field px-2 text-note font-semibold text-muted has-checked:bg-primary/12 has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-primary'

type AccountPanelProps = {
  /** Closes the overlay. */ onNavigate?: () => void
  /** Opens the error log. */ onErrors: () => void
}

export function AccountPanel({ onNavigate, onErrors }: AccountPanelProps) {
  const user = useCurrentUser()
  const isSolid = useSolidPanels()
  return (
    <div className="grid gap-3">
      <div className="border-b border-primary/22 pb-3">
        <p className="font-semibold">{user.name}</p>
        <p className="text-note text-muted">
          <BreakableAddress>{user.email}</BreakableAddress>
        </p>
        <p className="text-note text-muted">
          {t('{role} at {orgName}', { role: ROLE_LABELS[user.role], orgName: user.orgName })}
        </p>
      </div>
      <div>
        <ThemeChoices />
        <Toggle
          label={t('Solid panels')}
          hint={t('No see-through glass, full outlines')}
          checked={isSolid}
          onChange={setSolidPanels}
        />
      </div>
      <ErrorsRow onErrors={onErrors} />
      {!isDemoMode() && (
        <Link to={paths.account} onClick={onNavigate} className={ROW}>
          <Icon name="shield" className="text-primary" />
          {t('Your account')}
        </Link>
      )}
      {/* The demonstration's public form takes no requests. */}
      {!isDemoMode() && <RequestForm orgSlug={user.orgSlug} />}
    </div>
  )
}

const THEMES: readonly { value: ThemeChoice; label: string; icon: IconName }[] = [
  { value: 'system', label: t('System'), icon: 'screen' },
  { value: 'toolbox-day', label: t('Light'), icon: 'sun' },
  { value: 'toolbox', label: t('Dark'), icon: 'moon' },
]

function ThemeChoices() {
  const choice = useThemeChoice()
  const name = useId()
  return (
    <fieldset className="mb-1 min-w-0">
      <legend className="mb-1">{t('Theme')}</legend>
      <div className="flex rounded-field border border-primary/30 p-0.5">
        {THEMES.map(({ value, label, icon }) => (
          <label key={value} className={CHOICE}>
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === choice}
              onChange={() => chooseTheme(value)}
            />
            <Icon name={icon} className="size-4" />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function ErrorsRow({ onErrors }: { onErrors: () => void }) {
  const unread = useUnreadErrorCount()
  return (
    <button type="button" aria-haspopup="dialog" onClick={onErrors} className={ROW}>
      <Icon name="bell" className="text-primary" />
      {t('Notifications')}
      {unread > 0 && <CountBadge count={unread} tone="error" accessibleLabel={t('unread')} className="ml-auto" />}
    </button>
  )
}

function RequestForm({ orgSlug }: { orgSlug: string }) {
  return (
    <a href={paths.publicLead(orgSlug)} target="_blank" rel="noopener" className={ROW}>
      <Icon name="external" className="text-primary" />
      <span>
        {t('Open your request form')}
        <span className="sr-only"> {t('(new tab)')}</span>
      </span>
    </a>
  )
}
