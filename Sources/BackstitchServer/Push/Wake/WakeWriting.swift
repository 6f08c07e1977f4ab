/// The writes of devices that can be woken.
protocol WakeWriting: WakeReading {
    /// Adds a device, or gives it to another user.
    func putWakeDevice(_ device: StoredWakeDevice, user: String) throws
    /// Forgets devices of a user beyond a number, those first that were not registered for longest.
    func removeWakeDevices(tenantID: Int64, user: String, beyond limit: Int) throws
    /// Forgets a device, unless it was registered again after a time; false when it stays, or was gone.
    func removeWakeDevice(tenantID: Int64, _ token: WakeToken, registeredUpTo time: Int64) throws -> Bool
}
