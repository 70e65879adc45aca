// Pure parts of saving by itself: what was changed, what of it is valid, and how it reads.
import type { FieldValues } from 'react-hook-form'
import type { FormSchema } from '@/ui/form'
import type { FieldDescription } from '@/ui/field-status'
import { formatTimeOfDay } from './business-hours'

export const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

const trimText = (value: unknown) => (typeof value === 'string' ? value.trim() : value)

/** Fields that differ from what is saved. `settled` holds input whose saved form differs from it. */
export function listChangedFields<T extends FieldValues>(
  values: T,
  saved: T,
  settled: ReadonlyMap<string, unknown>,
): string[] {
  return Object.keys(values).filter((name) => {
    const value: unknown = values[name]
    if (isSame(trimText(value), saved[name])) return false
    return !settled.has(name) || !isSame(value, settled.get(name))
  })
}

export type FieldProblem = { path: string; message: string }

/** Problems by the top-level field they lie in, and the values as the schema returns them. */
export async function validateFields<T extends FieldValues>(
  schema: FormSchema<T>,
  values: T,
): Promise<{ parsed: FieldValues; problems: ReadonlyMap<string, FieldProblem> }> {
  const result = await schema['~standard'].validate(values)
  if (!result.issues) return { parsed: result.value, problems: new Map() }
  const problems = new Map<string, FieldProblem>()
  for (const { path = [], message } of result.issues) {
    const steps = path.map((step) => String(typeof step === 'object' ? step.key : step))
    const [field = ''] = steps
    if (!problems.has(field)) problems.set(field, { path: steps.join('.'), message })
  }
  // Nothing was parsed: plain text is trimmed as the schema does.
  return {
    parsed: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, trimText(value)])),
    problems,
  }
}

export function pickFields<T extends FieldValues>(values: FieldValues, names: readonly string[]): Partial<T> {
  return Object.fromEntries(names.map((name) => [name, values[name] as unknown])) as Partial<T>
}

function readPath(values: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((found, step) => (found as Readonly<Record<string, unknown>> | undefined)?.[step], values)
}

const LONGEST_SHOWN = 60
const TIME_OF_DAY = /^\d\d:\d\d$/

export type DescribedChange = { path: string; label: string; shown: string }

/** The changed fields by label and new value, as in "Ring for: 20 seconds". */
export function describeChanges(
  descriptions: ReadonlyMap<string, FieldDescription>,
  values: FieldValues,
  names: readonly string[],
): DescribedChange[] {
  return names.flatMap((name) =>
    [...descriptions]
      .filter(([path]) => path === name || path.startsWith(`${name}.`))
      .map(([path, { label, show }]) => {
        const value = readPath(values, path)
        const shown = typeof value === 'string' && TIME_OF_DAY.test(value) ? formatTimeOfDay(value) : show(value)
        return { path, label, shown: shown.length > LONGEST_SHOWN ? '' : shown }
      }),
  )
}

export const formatChange = ({ label, shown }: DescribedChange) => (shown === '' ? label : `${label}: ${shown}`)
