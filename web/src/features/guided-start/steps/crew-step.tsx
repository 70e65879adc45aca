import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { api, type Schema, unwrap } from '@/api/client'
import { describeError } from '@/api/errors'
import { crewsKey } from '@/domain/query-keys'
import { paths } from '@/lib/paths'
import { peopleQueries } from '@/features/people/queries'
import { useCurrentUser } from '@/features/session/use-session'
import { ChipChoice } from '@/ui/chip-choice'
import { Field } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'
import { useStepDraft } from '../use-step-draft'

type Crew = Schema['Crew']
type NewCrew = { name: string; memberIds?: string[] }

const texts = startMessages.crew
const CHOICES = [
  { value: 'alone', label: texts.alone },
  { value: 'several', label: texts.several },
] as const

export function CrewStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(peopleQueries.crews(orgId))
  return (
    <QueryBoundary query={found} skeleton={<SkeletonLines lines={4} />} errorText={startMessages.loadFailed}>
      {(crews) => <CrewForm nav={nav} crews={crews.filter(({ isActive }) => isActive)} />}
    </QueryBoundary>
  )
}

/** Adds crews one after the other. The screen moves on, so no toast says so. */
function useAddCrews() {
  const { orgId } = useCurrentUser()
  return useMutation({
    mutationFn: (crews: readonly NewCrew[]) =>
      crews.reduce(async (before: Promise<unknown>, body) => {
        await before
        return unwrap(api.POST('/api/crews', { body }))
      }, Promise.resolve()),
    meta: { failure: false, invalidates: [crewsKey(orgId)] },
  })
}

/** The typed names that no crew has yet, each once. */
function listNewNames(typed: string, crews: readonly Crew[]): string[] {
  const isKnown = (name: string) => crews.some((crew) => crew.name.toLowerCase() === name.toLowerCase())
  const names = typed.split('\n').map((name) => name.trim())
  return [...new Set(names)].filter((name) => name !== '' && !isKnown(name))
}

function CrewForm({ nav, crews }: { nav: StartNav; crews: readonly Crew[] }) {
  const { id, name } = useCurrentUser()
  const add = useAddCrews()
  const draft = useStepDraft('crew', { choice: crews.length === 0 ? 'alone' : 'several', names: '' })
  const [isMissing, setIsMissing] = useState(false)
  const isAlone = draft.values.choice === 'alone'
  const finish = () => {
    draft.forget()
    nav.next()
  }
  const send = () => {
    const [first = name] = name.split(' ')
    const wanted: NewCrew[] = isAlone
      ? [{ name: first, memberIds: [id] }].filter((crew) => listNewNames(crew.name, crews).length > 0)
      : listNewNames(draft.values.names, crews).map((one) => ({ name: one }))
    if (wanted.length > 0) add.mutate(wanted, { onSuccess: finish })
    else if (crews.length > 0) finish()
    else setIsMissing(true)
  }
  const problem = add.error ? describeError(add.error).description : undefined
  return (
    <StepFrame nav={nav} onContinue={send} isSaving={add.isPending} problem={problem}>
      {crews.length > 0 && (
        <ul aria-label={texts.have} className="grid gap-1">
          {crews.map((crew) => (
            <li key={crew.id} className="wrap-anywhere">
              <StatusLine tone="success" icon="check">
                {crew.name}
              </StatusLine>
            </li>
          ))}
        </ul>
      )}
      <ChipChoice
        legend={texts.choice}
        chips={CHOICES}
        value={isAlone ? 'alone' : 'several'}
        onChange={(choice) => draft.change({ choice })}
      />
      {isAlone ? (
        <p className="text-muted">{texts.aloneHint}</p>
      ) : (
        <Field label={texts.names} unmarked hint={texts.namesHint} error={isMissing ? texts.missing : undefined}>
          {(aria) => (
            <textarea
              className="textarea"
              rows={3}
              {...aria}
              value={draft.values.names}
              onChange={(event) => {
                setIsMissing(false)
                add.reset()
                draft.change({ names: event.target.value })
              }}
            />
          )}
        </Field>
      )}
      {!isAlone && (
        <p>
          <Link to={paths.settings('people')} className="text-link inline-flex min-h-11 items-center">
            {texts.invite}
          </Link>
        </p>
      )}
    </StepFrame>
  )
}
