// Look of what customers see: logo, color, and the line at the foot.
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { Card } from '@/ui/card'
import { SwitchField } from '@/ui/switch-field'
import { SettingsForm } from '../components/settings-form'
import { LogoField } from '../documents/logo-field'
import { useSaveSettings } from '../mutations'
import type { LookSettings, LookSettingsPatch, Organization } from '../types'
import { ColorField } from './color-field'
import { lookMessages as texts } from './look-messages'
import { LookPreview } from './look-preview'
import { lookSchema, type LookValues } from './look-schema'

const toValues = ({ color, showsPoweredBy }: LookSettings): LookValues => ({ color: color ?? '', showsPoweredBy })

/** An empty color is taken away. */
function toPatch({ color, showsPoweredBy }: Partial<LookValues>): LookSettingsPatch {
  return {
    ...(color === undefined ? {} : { color: color || null }),
    ...(showsPoweredBy === undefined ? {} : { showsPoweredBy }),
  }
}

type LookCardProps = { organization: Pick<Organization, 'name' | 'logoUrl'>; saved: LookSettings }

export function LookCard({ organization, saved }: LookCardProps) {
  const save = useSaveSettings()
  const business = { name: organization.name, logoUrl: organization.logoUrl ?? null }
  return (
    <Card title={texts.title} icon="sparkle">
      <div className="grid gap-5">
        <p className="text-note text-muted">{texts.hint}</p>
        <LogoField logoUrl={business.logoUrl} />
        <SettingsForm
          label={texts.title}
          part="look"
          schema={lookSchema}
          saved={toValues(saved)}
          onSave={async (changed) => toValues((await save.mutateAsync({ look: toPatch(changed) })).look)}
        >
          {(form) => (
            <>
              <ColorField form={form} />
              <SwitchField form={form} name="showsPoweredBy" label={texts.poweredBy} hint={texts.poweredByHint} />
              <FormPreview form={form} business={business} />
            </>
          )}
        </SettingsForm>
      </div>
    </Card>
  )
}

type FormPreviewProps = { form: UseFormReturn<LookValues>; business: { name: string; logoUrl: string | null } }

function FormPreview({ form, business }: FormPreviewProps) {
  const [color, showsPoweredBy] = useWatch({ control: form.control, name: ['color', 'showsPoweredBy'] })
  return <LookPreview business={business} values={{ color: color.trim(), showsPoweredBy }} />
}
