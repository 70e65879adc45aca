// The answer to a form as a customer reads it, with the name of the business in it.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { describeError } from '@/api/errors'
import { paths } from '@/lib/paths'
import { useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { useSaveSettings } from '@/features/settings/mutations'
import { settingsQueries } from '@/features/settings/queries'
import type { Template } from '@/features/settings/types'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'

const texts = startMessages.answer

export function AnswerStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const textsOff = useTextsOffReason()
  const templates = useQuery(settingsQueries.templates(orgId))
  const kind = textsOff ? 'email' : 'sms'
  return (
    <StepFrame nav={nav} onContinue={nav.next} continueText={texts.looksGood}>
      <AnswersOff />
      <QueryBoundary query={templates} skeleton={<SkeletonLines lines={4} />} errorText={startMessages.loadFailed}>
        {(all) => {
          const template = all.find((one) => one.kind === kind)
          return template ? <AnswerPreview template={template} /> : null
        }}
      </QueryBoundary>
      <p>
        <Link to={paths.settings('templates', kind)} className="text-link inline-flex min-h-11 items-center">
          {texts.change}
        </Link>
      </p>
    </StepFrame>
  )
}

function AnswerPreview({ template: { kind, wordings, hasSubject } }: { template: Template }) {
  const { orgId } = useCurrentUser()
  const { subject, body } = wordings.en ?? { subject: null, body: '' }
  const draft = { language: 'en' as const, body, ...(hasSubject ? { subject: subject ?? '' } : {}) }
  const preview = useQuery(settingsQueries.templatePreview(orgId, kind, draft))
  return (
    <QueryBoundary query={preview} skeleton={<SkeletonLines lines={4} />} errorText={startMessages.loadFailed}>
      {(shown) => (
        <figure className="grid gap-2">
          <figcaption className="text-note text-muted">
            {kind === 'email' ? texts.byEmail : texts.byText}
            {shown.sample === 'lead' ? '' : `. ${texts.example}`}
          </figcaption>
          <div className="max-w-prose rounded-box rounded-bl-sm border border-primary/30 bg-base-200 p-4">
            {shown.subject && <p className="mb-2 font-semibold wrap-anywhere">{shown.subject}</p>}
            <p className="whitespace-pre-line wrap-anywhere">{shown.body ?? body}</p>
          </div>
        </figure>
      )}
    </QueryBoundary>
  )
}

function AnswersOff() {
  const { orgId } = useCurrentUser()
  const settings = useQuery(settingsQueries.settings(orgId))
  const save = useSaveSettings()
  if (settings.data?.switches.automatedCommunications !== false) return null
  return (
    <Notice tone="warning" title={texts.off.title}>
      <p>{texts.off.description}</p>
      {save.error && <p role="alert">{describeError(save.error).description}</p>}
      <Button
        className="mt-2"
        pending={save.isPending}
        onClick={() => save.mutate({ switches: { automatedCommunications: true } })}
      >
        {texts.turnOn}
      </Button>
    </Notice>
  )
}
