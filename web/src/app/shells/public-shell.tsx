// Layout of public pages. The form of a business has its own head.
import { Suspense } from 'react'
import { Outlet, useLocation } from 'react-router-dom'
import { isBusinessForm } from '@/lib/business-form'
import { paths } from '@/lib/paths'
import { useDeviceTheme } from '@/lib/theme'
import { Logo } from '@/ui/logo'
import { ThemeButton } from '@/ui/theme-button'
import { LoadingScreen } from '../loading-screen'

function ToolboxHeader() {
  return (
    <header className="mx-auto flex w-full max-w-5xl items-center justify-between gap-3 px-4 pt-[calc(.5rem+var(--sai-top))] pb-2">
      <a href={paths.home} aria-label="Toolbox, home" className="flex min-h-12 items-center rounded-field pr-2">
        <Logo />
      </a>
      <ThemeButton />
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
