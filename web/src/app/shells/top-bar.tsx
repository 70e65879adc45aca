import { Suspense } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Logo } from '@/ui/logo'
import { ThemeButton } from '@/ui/theme-button'
import { LiveIndicator } from '@/ui/live-indicator'
import { paths } from '@/lib/paths'
import { AccountMenu } from './account-menu'
import { QuickAccessBar } from './lazy-quick-access'
import { isStartPage } from './nav-items'

type TopBarProps = { onErrors: () => void }

export function TopBar({ onErrors }: TopBarProps) {
  const { orgName } = useCurrentUser()
  const { pathname } = useLocation()
  return (
    <header className="glass-bar sticky top-0 z-30 flex items-center justify-between gap-2 border-b px-4 pt-(--sai-top) max-[22rem]:px-2">
      <Link
        to={paths.home}
        aria-label={t('Toolbox, home')}
        className="flex min-h-14 items-center rounded-field lg:hidden"
      >
        <Logo />
      </Link>
      <p className="hidden min-w-0 truncate font-semibold lg:block">{orgName}</p>
      <div className="flex items-center">
        {/* The dashboard shows it in its own header. */}
        {!isStartPage(pathname) && (
          <div className="mr-2 max-[22rem]:mr-0">
            <LiveIndicator />
          </div>
        )}
        <Suspense fallback={<span className="size-12" />}>
          <QuickAccessBar />
        </Suspense>
        {/* The account menu has it too. */}
        <span className="max-[22rem]:hidden">
          <ThemeButton />
        </span>
        <AccountMenu key={pathname} onErrors={onErrors} />
      </div>
    </header>
  )
}
