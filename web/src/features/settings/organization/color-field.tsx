// One of the offered colors, the browser's picker, or a typed code.
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { TextField } from '@/ui/field'
import { Icon } from '@/ui/icon'
import { getBrandPalette } from './brand-color'
import { lookMessages as texts } from './look-messages'
import { BRAND_COLORS, type LookValues } from './look-schema'

const SWATCH =
  'relative flex min-h-11 cursor-pointer items-center gap-2 rounded-full border border-primary/30 px-3 text-note font-semibold has-checked:border-primary has-checked:bg-primary/12 has-focus-visible:outline-2 has-focus-visible:outline-primary'

export function ColorField({ form }: { form: UseFormReturn<LookValues> }) {
  const color = useWatch({ control: form.control, name: 'color' }).trim().toLowerCase()
  const choose = (value: string) => form.setValue('color', value, { shouldDirty: true, shouldValidate: true })
  return (
    <>
      <fieldset className="min-w-0">
        <legend className="mb-2 font-semibold">{texts.color}</legend>
        <div className="flex flex-wrap gap-2">
          {[{ value: '', label: texts.noColor }, ...BRAND_COLORS].map(({ value, label }) => (
            <label key={value} className={SWATCH}>
              <input
                type="radio"
                name="look-color"
                className="sr-only"
                checked={color === value}
                onChange={() => choose(value)}
              />
              {value && <span className="size-6 rounded-full" style={{ backgroundColor: value }} />}
              {label}
            </label>
          ))}
          <label className={SWATCH}>
            <Icon name="pencil" />
            {texts.otherColor}
            <input
              type="color"
              className="absolute inset-0 size-full cursor-pointer opacity-0"
              value={getBrandPalette(color) ? color : '#00616f'}
              onChange={(event) => choose(event.target.value)}
            />
          </label>
        </div>
      </fieldset>
      <TextField
        form={form}
        name="color"
        label={texts.hex}
        hint={texts.hexHint}
        autoCapitalize="none"
        autoComplete="off"
      />
    </>
  )
}
