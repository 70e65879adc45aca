import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { useCurrentUser } from '@/features/session/use-session'
import { useSaveOrganization } from '@/features/settings/mutations'
import { settingsQueries } from '@/features/settings/queries'
import { t } from '@/lib/i18n'
import { Disclosure } from '@/ui/disclosure'
import { Field } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { judgeReviewLink, type ReviewLinkVerdict } from '../lib/review-link'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'
import { useStepDraft } from '../use-step-draft'

const texts = startMessages.reviews

export function ReviewsStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(settingsQueries.organization(orgId))
  return (
    <QueryBoundary query={found} skeleton={<SkeletonLines lines={4} />} errorText={startMessages.loadFailed}>
      {({ reviewLink }) => <ReviewLinkForm nav={nav} saved={reviewLink ?? ''} />}
    </QueryBoundary>
  )
}

const isUsable = (verdict: ReviewLinkVerdict) => verdict !== 'invalid' && verdict !== 'forbidden'

function ReviewLinkForm({ nav, saved }: { nav: StartNav; saved: string }) {
  const save = useSaveOrganization()
  const draft = useStepDraft('reviews', { link: saved })
  const [isAsked, setIsAsked] = useState(false)
  const link = draft.values.link.trim()
  const verdict = judgeReviewLink(link)
  const serverError = save.error instanceof ApiError ? save.error.errors['reviewLink'] : undefined
  const send = () => {
    setIsAsked(true)
    if (!isUsable(verdict)) return
    save.mutate(
      { reviewLink: link },
      {
        onSuccess: () => {
          draft.forget()
          nav.next()
        },
      },
    )
  }
  const ownError = isAsked && !isUsable(verdict) ? texts.verdicts[verdict] : undefined
  const problem = save.error && !serverError ? describeError(save.error).description : undefined
  return (
    <StepFrame nav={nav} onContinue={send} isSaving={save.isPending} problem={problem}>
      <Field label={texts.field} unmarked error={ownError ?? serverError}>
        {(aria) => (
          <input
            className="input"
            type="url"
            inputMode="url"
            autoCapitalize="none"
            autoComplete="off"
            placeholder="https://"
            {...aria}
            value={draft.values.link}
            onChange={(event) => {
              save.reset()
              setIsAsked(false)
              draft.change({ link: event.target.value })
            }}
          />
        )}
      </Field>
      {isUsable(verdict) && (
        <div role="status" className="grid gap-1">
          <StatusLine
            tone={verdict === 'dialog' ? 'success' : 'warning'}
            icon={verdict === 'dialog' ? 'check-circle' : 'info'}
          >
            {texts.verdicts[verdict]}
          </StatusLine>
          <a
            href={link}
            target="_blank"
            rel="noopener noreferrer"
            className="text-link inline-flex min-h-11 items-center justify-self-start"
          >
            {texts.open}
            <span className="sr-only"> {t('(new tab)')}</span>
          </a>
        </div>
      )}
      <Disclosure summary={texts.howTo}>
        <ol className="grid list-decimal gap-2 pl-5 text-note">
          {texts.howToSteps.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ol>
      </Disclosure>
    </StepFrame>
  )
}
