// One question: progress, title, answer, and the way on.
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'
import { paths } from '@/lib/paths'
import { useOnline } from '@/lib/hooks/use-online'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { startMessages as texts } from './messages'
import { QUESTIONS, START_STEPS } from './start-steps'
import type { StartNav } from './use-start-nav'

type StepFrameProps = {
  nav: StartNav
  children: ReactNode
  /** Saves the answer and goes on; absent where the answer itself goes on. */
  onContinue?: (() => void) | undefined
  continueText?: string
  isSaving?: boolean
  /** Why the answer was not saved. */
  problem?: string | undefined
  /** The answer has forms of its own: forms do not nest. */
  hasForms?: boolean
}

export function StepFrame({
  nav,
  children,
  onContinue,
  continueText,
  isSaving = false,
  problem,
  hasForms = false,
}: StepFrameProps) {
  const { title, about } = texts.questions[nav.step]
  const isOnline = useOnline()
  const heading = useRef<HTMLHeadingElement>(null)
  // Each question is a new screen to a reader of it.
  useEffect(() => heading.current?.focus(), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isSaving) onContinue?.()
  }
  const className = 'mx-auto grid w-full max-w-xl grid-cols-[minmax(0,1fr)] gap-6'
  const content = (
    <>
      <StepProgress nav={nav} />
      <header className="grid gap-1">
        <h1 ref={heading} tabIndex={-1} className="text-title outline-none">
          {title}
        </h1>
        <p className="text-muted">{about}</p>
      </header>
      {!isOnline && (
        <Notice tone="warning" title={texts.offline.title}>
          {texts.offline.description}
        </Notice>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">{children}</div>
      {problem && (
        <Notice tone="error" title={texts.notSaved}>
          {problem}
        </Notice>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {nav.back && (
          <Button variant="ghost" icon="arrow-left" onClick={nav.back}>
            {texts.back}
          </Button>
        )}
        <span className="flex-1" />
        {nav.step !== 'test' && (
          <Button variant="ghost" onClick={nav.next}>
            {texts.skip}
          </Button>
        )}
        {onContinue && (
          <Button
            type={hasForms ? 'button' : 'submit'}
            onClick={hasForms ? onContinue : undefined}
            pending={isSaving}
            pendingText={texts.saving}
            disabled={!isOnline}
          >
            {continueText ?? texts.next}
          </Button>
        )}
      </div>
    </>
  )
  if (hasForms)
    return (
      <section aria-label={title} className={className}>
        {content}
      </section>
    )
  return (
    <form noValidate aria-label={title} onSubmit={submit} className={className}>
      {content}
    </form>
  )
}

function StepProgress({ nav: { step } }: { nav: StartNav }) {
  const at = START_STEPS.indexOf(step)
  const label = step === 'test' ? texts.lastStep : texts.progress(at + 1, QUESTIONS.length)
  return (
    <div className="flex items-center gap-3">
      <progress
        aria-label={texts.progressLabel}
        aria-valuetext={label}
        className="progress progress-primary min-w-0 flex-1"
        value={at}
        max={QUESTIONS.length}
      />
      <span className="text-note text-muted tabular-nums">{label}</span>
      <Link to={paths.app} className="text-link inline-flex min-h-11 items-center text-note">
        {texts.leave}
      </Link>
    </div>
  )
}
