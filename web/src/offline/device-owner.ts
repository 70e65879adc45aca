// Storage key of the device's data owner.
export const OWNER_KEY = 'toolbox.offline-owner'
