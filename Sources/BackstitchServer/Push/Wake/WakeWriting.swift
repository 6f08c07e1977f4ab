/// Writes of the devices whose apps can be woken.
protocol WakeWriting: WakeReading {
    /// Adds a device, or gives it to another user.
    func putWakeDevice(_ device: StoredWakeDevice, user: String) throws
    /// Forgets the devices of a user beyond a number. The ones registered longest ago go first.
    func removeWakeDevices(tenantID: Int64, user: String, beyond limit: Int) throws
    /// Forgets a device, unless it was registered again after a time. Returns false if it stays, or was gone already.
    func removeWakeDevice(tenantID: Int64, _ token: WakeToken, registeredUpTo time: Int64) throws -> Bool
}
