// Desktop sidebar.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Logo } from '@/ui/logo'
import { LogoutButton } from './logout-button'
import { NavLinks } from './nav-links'

export function Sidebar() {
  return (
    <aside className="glass-bar sticky top-0 flex h-dvh w-60 shrink-0 flex-col gap-6 border-r p-4">
      <Link to={paths.home} aria-label={t('Toolbox, home')} className="flex min-h-12 items-center rounded-field px-2">
        <Logo />
      </Link>
      <nav aria-label={t('Main')} className="flex-1 overflow-y-auto">
        <NavLinks />
      </nav>
      <LogoutButton />
    </aside>
  )
}
