/// Reads of the devices whose apps can be woken.
protocol WakeReading {
    /// The devices of a user. The last registered ones are first.
    func wakeDevices(tenantID: Int64, user: String, limit: Int) throws -> [StoredWakeDevice]
}
