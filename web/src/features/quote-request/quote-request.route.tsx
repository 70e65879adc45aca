import { lazy, Suspense, useState } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { BusinessPage } from '@/features/public-form/business-page'
import { NotSetUp } from '@/features/public-form/not-set-up'
import { PlainReceipt } from '@/features/public-form/plain-receipt'
import { SentSkeleton } from '@/features/public-form/sent-skeleton'
import { UnknownBusiness } from '@/features/public-form/unknown-business'
import { type PublicForm, usePublicForm } from '@/features/public-form/use-form-context'
import { Card } from '@/ui/card'
import { Highlights } from './components/highlights'
import { QuoteForm, type SentQuote } from './components/quote-form'
import { quoteMessages } from './messages'

const QuoteReceived = lazy(() =>
  import('./components/quote-received').then(
    (loaded) => ({ default: loaded.QuoteReceived }),
    () => ({ default: PlainReceipt }),
  ),
)

export function Component() {
  const publicForm = usePublicForm()
  const { org, context } = publicForm
  useDocumentTitle(quoteMessages.title, org === null ? undefined : (context?.orgName ?? ''))
  return (
    <BusinessPage publicForm={publicForm}>
      {publicForm.isUnknown ? (
        <div className="px-4 pt-4">
          <UnknownBusiness />
        </div>
      ) : (
        <QuoteRequest key={org} publicForm={publicForm} />
      )}
    </BusinessPage>
  )
}

function QuoteRequest({ publicForm }: { publicForm: PublicForm }) {
  const { org, context } = publicForm
  const [sent, setSent] = useState<SentQuote>()
  if (sent)
    return (
      <div className="px-4">
        <Suspense fallback={<SentSkeleton />}>
          <QuoteReceived context={context} values={sent.values} receipt={sent.receipt} />
        </Suspense>
      </div>
    )
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-5 px-4 pt-2">
      <div className="text-center">
        {org === null && <p className="min-h-7 text-crew font-semibold text-primary">{context?.orgName}</p>}
        <h1 className="text-figure">{quoteMessages.title}</h1>
      </div>
      <Highlights business={context} />
      {publicForm.isNotSetUp && <NotSetUp isChecking={publicForm.isChecking} onCheckAgain={publicForm.checkAgain} />}
      <Card title={quoteMessages.formTitle} icon="document" className="sm:p-6">
        <QuoteForm publicForm={publicForm} onSent={setSent} onNotSetUp={publicForm.checkAgain} />
      </Card>
    </div>
  )
}
