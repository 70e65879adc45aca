// The bar at the top of every staff screen.
import { Link, useLocation } from 'react-router-dom'
import { useCurrentUser } from '@/session/use-session'
import { Logo } from '@/ui/logo'
import { ThemeButton } from '@/ui/theme-button'
import { LiveMark } from '@/ui/live-mark'
import { paths } from '@/lib/paths'
import { AccountMenu } from './account-menu'
import { isStart } from './nav-items'

type TopBarProps = { onErrors: () => void }

export function TopBar({ onErrors }: TopBarProps) {
  const { orgName } = useCurrentUser()
  const { pathname } = useLocation()
  return (
    <header className="glass-bar sticky top-0 z-30 flex items-center justify-between gap-2 border-b px-4 pt-(--sai-top) max-[22rem]:px-2">
      <Link to={paths.home} aria-label="Toolbox, home" className="flex min-h-14 items-center rounded-field lg:hidden">
        <Logo />
      </Link>
      <p className="hidden min-w-0 truncate font-semibold lg:block">{orgName}</p>
      <div className="flex items-center">
        {/* The dashboard says it in its own header, with the time. */}
        {!isStart(pathname) && (
          <div className="mr-2 max-[22rem]:mr-0">
            <LiveMark />
          </div>
        )}
        <ThemeButton />
        {/* A new page starts with the menu closed. */}
        <AccountMenu key={pathname} onErrors={onErrors} />
      </div>
    </header>
  )
}
