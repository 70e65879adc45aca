import { useState } from 'react'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { NotSetUp } from '@/features/public-form/not-set-up'
import { UnknownBusiness } from '@/features/public-form/unknown-business'
import { usePublicForm } from '@/features/public-form/use-form-context'
import { Card } from '@/ui/card'
import { Highlights } from './components/highlights'
import { QuoteForm, type SentQuote } from './components/quote-form'
import { QuoteReceived } from './components/quote-received'
import { quoteMessages } from './messages'

export function Component() {
  useDocumentTitle(quoteMessages.title)
  const publicForm = usePublicForm()
  const [sent, setSent] = useState<SentQuote>()
  if (publicForm.isUnknown)
    return (
      <div className="px-4 pt-4">
        <UnknownBusiness />
      </div>
    )
  if (sent)
    return (
      <div className="px-4">
        <QuoteReceived sent={sent} />
      </div>
    )
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-5 px-4 pt-2">
      <div className="text-center">
        <p className="min-h-7 text-crew font-semibold text-primary">{publicForm.context?.orgName}</p>
        <h1 className="text-[clamp(1.75rem,1.2rem+2.6vw,2.5rem)]">{quoteMessages.title}</h1>
      </div>
      <Highlights business={publicForm.context} />
      {publicForm.isNotSetUp && <NotSetUp isChecking={publicForm.isChecking} onCheckAgain={publicForm.checkAgain} />}
      <Card title={quoteMessages.formTitle} icon="document" className="sm:p-6">
        <QuoteForm key={publicForm.org} publicForm={publicForm} onSent={setSent} onNotSetUp={publicForm.checkAgain} />
      </Card>
    </div>
  )
}
