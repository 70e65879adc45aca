// Frame of a form: the look of the business that the address names, and none without one.
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import type { Schema } from '@/api/client'
import { UnconfirmedBusiness } from './unconfirmed-business'
import type { PublicForm } from './use-form-context'

type HeaderModule = { default: ComponentType<{ context: Schema['FormContext'] }> }

// Shown only with a connection; the form does without it.
const BusinessHeader = lazy((): Promise<HeaderModule> =>
  import('@/features/customer-page/business-header').then(
    (loaded) => ({ default: loaded.BusinessHeader }),
    () => ({ default: () => null }),
  ),
)

type BusinessPageProps = { publicForm: PublicForm; children: ReactNode }

export function BusinessPage({ publicForm: { org, context }, children }: BusinessPageProps) {
  const unconfirmedNote = context?.isEmailUnconfirmed && (
    <div className="mx-auto w-full max-w-5xl px-4 pt-4">
      <UnconfirmedBusiness />
    </div>
  )
  if (org === null)
    return (
      <>
        {unconfirmedNote}
        {children}
      </>
    )
  return (
    <>
      <div className="mx-auto min-h-16 w-full max-w-5xl px-4 pt-[calc(.5rem+var(--sai-top))] pb-2">
        <Suspense>{context && <BusinessHeader context={context} />}</Suspense>
      </div>
      {unconfirmedNote}
      {children}
      {context?.look.showsPoweredBy && <p className="pt-8 text-center text-note text-muted">Powered by Toolbox</p>}
    </>
  )
}
