import { useState } from 'react'
import type { Schema } from '@/api/client'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { paths } from '@/lib/paths'
import { NotSetUp } from '@/features/public-form/not-set-up'
import { UnknownBusiness } from '@/features/public-form/unknown-business'
import { usePublicForm } from '@/features/public-form/use-form-context'
import { Icon } from '@/ui/icon'
import { LeadForm } from './components/lead-form'
import { LeadPitch } from './components/lead-pitch'
import { LeadSent } from './components/lead-sent'
import { leadMessages } from './messages'

export function Component() {
  useDocumentTitle(leadMessages.title)
  const publicForm = usePublicForm()
  const [sent, setSent] = useState<Schema['Created']>()
  if (publicForm.isUnknown)
    return (
      <div className="px-4 pt-4">
        <UnknownBusiness />
      </div>
    )
  return (
    <div className="mx-auto w-full max-w-5xl px-4">
      <a href={paths.home} className="text-link inline-flex min-h-12 items-center gap-2">
        <Icon name="home" />
        Home
      </a>
      <div className="mt-2 grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] lg:gap-12">
        <LeadPitch context={publicForm.context} />
        <div className="min-w-0">
          {publicForm.isNotSetUp && (
            <NotSetUp isChecking={publicForm.isChecking} onCheckAgain={publicForm.checkAgain} />
          )}
          {sent && <LeadSent key={sent.reference} sent={sent} />}
          <section aria-label="Your request" className="glass-card p-4 sm:p-6">
            {sent && <h2 className="mb-4 text-crew">Something else? Send another request</h2>}
            {/* A form of another business is another form. */}
            <LeadForm
              key={publicForm.org}
              publicForm={publicForm}
              onSent={setSent}
              onNotSetUp={publicForm.checkAgain}
            />
          </section>
        </div>
      </div>
    </div>
  )
}
