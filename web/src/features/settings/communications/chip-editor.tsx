// A wording with chips: its text, then each condition and each substitute as a choice of its own.
import { useRef } from 'react'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Field } from '@/ui/field'
import type { Template } from '../types'
import { ChipTextarea, type InsertTarget } from './chip-textarea'
import { VariableChips } from './variable-chips'
import { describeTest, getVariableLabel } from './variable-labels'
import type { ChipNames, Condition, Segment, Variable } from './wording-segments'

const NAMES: ChipNames = {
  variable: ({ name, fallback }) =>
    fallback === undefined
      ? getVariableLabel(name)
      : t('{variable}, or “{fallback}”', { variable: getVariableLabel(name), fallback }),
  condition: ({ test }, at) => t('{number}: only if {test}', { number: at, test: describeTest(test) }),
}

type Allowed = Template['allowed']

type PartProps = { lang: string; allowed: Allowed; target: InsertTarget }

type ChipEditorProps = {
  label: string
  lang: string
  rows: number
  isInvalid: boolean
  isSingleLine?: boolean
  allowed: Allowed
  segments: readonly Segment[]
  onChange: (segments: readonly Segment[]) => void
}

export function ChipEditor({ segments, onChange, allowed, lang, ...field }: ChipEditorProps) {
  const target: InsertTarget = useRef(undefined)
  const first = allowed[0]?.name
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SegmentFields
        {...field}
        lang={lang}
        allowed={allowed}
        target={target}
        segments={segments}
        onChange={onChange}
        isFirst
      />
      <VariableChips
        allowed={allowed}
        onInsert={(name) => target.current?.({ kind: 'variable', name, fallback: undefined })}
      />
      {first !== undefined && (
        <Button
          variant="ghost"
          icon="plus"
          className="min-h-11 w-fit px-3 text-note!"
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => target.current?.({ kind: 'condition', test: first, body: [], otherwise: undefined })}
        >
          {t('Add “only if …”')}
        </Button>
      )}
    </div>
  )
}

type SegmentFieldsProps = PartProps & {
  label: string
  rows: number
  isInvalid?: boolean
  isSingleLine?: boolean
  isFirst?: boolean
  segments: readonly Segment[]
  onChange: (segments: readonly Segment[]) => void
}

function SegmentFields({ segments, onChange, lang, allowed, target, ...field }: SegmentFieldsProps) {
  const replace = (at: number, next: readonly Segment[]) => onChange(segments.toSpliced(at, 1, ...next))
  const findVariable = (name: string): Segment | undefined => {
    const found = allowed.find((one) => getVariableLabel(one.name) === name)
    return found && { kind: 'variable', name: found.name, fallback: undefined }
  }
  const part = { lang, allowed, target }
  const countUntil = (end: number) => segments.slice(0, end).filter(({ kind }) => kind === 'condition').length
  return (
    <>
      <ChipTextarea
        {...field}
        lang={lang}
        target={target}
        segments={segments}
        names={NAMES}
        find={findVariable}
        onChange={onChange}
      />
      {segments.map((segment, at) => {
        if (segment.kind === 'condition') {
          return (
            <ConditionFields
              // oxlint-disable-next-line react/no-array-index-key -- conditions have no identity but their place
              key={at}
              {...part}
              number={countUntil(at) + 1}
              condition={segment}
              onChange={(next) => replace(at, [next])}
              onRemove={() => replace(at, [])}
            />
          )
        }
        if (segment.kind === 'text' || segment.fallback === undefined) return null
        return (
          // oxlint-disable-next-line react/no-array-index-key -- chips have no identity but their place
          <FallbackField key={at} lang={lang} variable={segment} onChange={(next) => replace(at, [next])} />
        )
      })}
    </>
  )
}

function FallbackField({
  lang,
  variable,
  onChange,
}: {
  lang: string
  variable: Variable
  onChange: (variable: Variable) => void
}) {
  return (
    <Field label={t('Without “{name}”, say', { name: getVariableLabel(variable.name) })} unmarked>
      {(aria) => (
        <input
          {...aria}
          lang={lang}
          className="input"
          value={variable.fallback}
          onChange={({ target }) => onChange({ ...variable, fallback: target.value.replaceAll(/["{}]/g, '') })}
        />
      )}
    </Field>
  )
}

type ConditionFieldsProps = PartProps & {
  number: number
  condition: Condition
  onChange: (condition: Condition) => void
  onRemove: () => void
}

function ConditionFields({ number, condition, onChange, onRemove, ...part }: ConditionFieldsProps) {
  const { test, body, otherwise } = condition
  const tests = part.allowed.map(({ name }) => name)
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3 rounded-field border border-primary/30 p-3">
      <legend className="px-1 text-note font-semibold">{t('Condition {number}', { number })}</legend>
      <div className="flex items-end gap-2">
        <Field label={t('Only if')} unmarked className="flex-1">
          {(aria) => (
            <select
              {...aria}
              className="select"
              value={test}
              onChange={(event) => onChange({ ...condition, test: event.target.value })}
            >
              {(tests.includes(test) ? tests : [test, ...tests]).map((one) => (
                <option key={one} value={one}>
                  {describeTest(one)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <IconButton label={t('Remove condition {number}', { number })} icon="trash" onClick={onRemove} />
      </div>
      <SegmentFields
        {...part}
        label={t('Say')}
        rows={1}
        segments={body}
        onChange={(next) => onChange({ ...condition, body: next })}
      />
      {otherwise ? (
        <SegmentFields
          {...part}
          label={t('Otherwise say')}
          rows={1}
          segments={otherwise}
          onChange={(next) => onChange({ ...condition, otherwise: next.length > 0 ? next : undefined })}
        />
      ) : (
        <Button
          variant="ghost"
          className="min-h-11 w-fit px-3 text-note!"
          onClick={() => onChange({ ...condition, otherwise: [] })}
        >
          {t('Add “otherwise …”')}
        </Button>
      )}
    </fieldset>
  )
}
