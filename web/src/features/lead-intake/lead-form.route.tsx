import { lazy, Suspense, useState } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { BusinessPage } from '@/features/public-form/business-page'
import { NotSetUp } from '@/features/public-form/not-set-up'
import { PlainReceipt } from '@/features/public-form/plain-receipt'
import { SentSkeleton } from '@/features/public-form/sent-skeleton'
import { UnknownBusiness } from '@/features/public-form/unknown-business'
import { type PublicForm, usePublicForm } from '@/features/public-form/use-form-context'
import { Icon } from '@/ui/icon'
import { LeadForm, type SentLead } from './components/lead-form'
import { LeadPitch } from './components/lead-pitch'
import { leadMessages } from './messages'

const NextSteps = lazy(() =>
  import('@/features/customer-page/next-steps').then(
    (loaded) => ({ default: loaded.NextSteps }),
    () => ({ default: PlainReceipt }),
  ),
)

export function Component() {
  const publicForm = usePublicForm()
  const { org, context } = publicForm
  useDocumentTitle(leadMessages.title, org === null ? undefined : (context?.orgName ?? ''))
  return (
    <BusinessPage publicForm={publicForm}>
      {publicForm.isUnknown ? (
        <div className="px-4 pt-4">
          <UnknownBusiness />
        </div>
      ) : (
        // A form of another business is another form.
        <LeadRequest key={org} publicForm={publicForm} />
      )}
    </BusinessPage>
  )
}

function LeadRequest({ publicForm }: { publicForm: PublicForm }) {
  const { org, context } = publicForm
  const [sent, setSent] = useState<SentLead>()
  if (sent)
    return (
      <div className="px-4">
        <Suspense fallback={<SentSkeleton />}>
          <NextSteps
            context={context}
            receipt={sent.receipt}
            phone={sent.values.phone}
            email={sent.values.email}
            onAgain={() => setSent(undefined)}
          />
        </Suspense>
      </div>
    )
  return (
    <div className="mx-auto w-full max-w-5xl px-4">
      {org === null && (
        <a href={paths.home} className="text-link inline-flex min-h-12 items-center gap-2">
          <Icon name="home" />
          Home
        </a>
      )}
      <div className="mt-2 grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] lg:gap-12">
        <LeadPitch publicForm={publicForm} />
        <div className="min-w-0">
          {publicForm.isNotSetUp && (
            <NotSetUp isChecking={publicForm.isChecking} onCheckAgain={publicForm.checkAgain} />
          )}
          <section aria-label="Your request" className="glass-card p-4 sm:p-6">
            <LeadForm publicForm={publicForm} onSent={setSent} onNotSetUp={publicForm.checkAgain} />
          </section>
        </div>
      </div>
    </div>
  )
}
