// Layout of public pages. The form of a business has its own head.
import { Suspense } from 'react'
import { Outlet, useLocation } from 'react-router-dom'
import { isBusinessForm } from '@/lib/business-form'
import { t } from '@/lib/i18n'
import { isLanguageChosen } from '@/lib/i18n/language'
import { paths } from '@/lib/paths'
import { useDeviceTheme } from '@/lib/theme'
import { LanguageSwitch } from '@/ui/language-switch'
import { Logo } from '@/ui/logo'
import { ThemeButton } from '@/ui/theme-button'
import { LoadingScreen } from '../loading-screen'

function ToolboxHeader() {
  const { pathname } = useLocation()
  return (
    <header className="mx-auto flex w-full max-w-5xl items-center justify-between gap-3 px-4 pt-[calc(.5rem+var(--sai-top))] pb-2">
      <a href={paths.home} aria-label={t('Toolbox, home')} className="flex min-h-12 items-center rounded-field pr-2">
        <Logo />
      </a>
      <div className="flex items-center gap-1">
        {isLanguageChosen(pathname) && <LanguageSwitch />}
        <ThemeButton />
      </div>
    </header>
  )
}

export function PublicShell() {
  const isOfBusiness = isBusinessForm(useLocation())
  useDeviceTheme(isOfBusiness)
  return (
    <div className="flex min-h-dvh flex-col pr-(--sai-right) pl-(--sai-left)">
      {!isOfBusiness && <ToolboxHeader />}
      <main className="flex-1 pb-[calc(2rem+var(--sai-bottom))]">
        <Suspense fallback={<LoadingScreen />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}
