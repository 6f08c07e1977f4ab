import BackstitchSQL

/// Devices that a push service can wake.
extension ZoneSnapshot {
    /// The devices of a user. The last registered ones are first.
    func wakeDevices(tenantID: Int64, user: String, limit: Int) throws -> [StoredWakeDevice] {
        try all(
            """
            SELECT token, development, poll, registered, credential FROM wake_device
            WHERE tenant_id = \(tenantID) AND "user" = \(user) ORDER BY registered DESC, digest LIMIT \(limit)
            """
        ) { row in
            let poll = row.bytes(2)
            return StoredWakeDevice(
                tenantID: tenantID, token: WakeToken(bytes: row.bytes(0)), isDevelopment: row.int(1) != 0,
                poll: poll.isEmpty ? nil : TokenDigest(bytes: poll), registered: row.int(3), credential: row.text(4))
        }
    }
}

/// The writes of devices that a push service can wake.
extension ZoneTransaction {
    /// Adds a device, or gives it to another user.
    func putWakeDevice(_ device: StoredWakeDevice, user: String) throws {
        try execute(
            """
            INSERT INTO wake_device (tenant_id, digest, "user", token, development, poll, registered, credential)
            VALUES (\(device.tenantID), \(device.token.digest.bytes), \(user), \(device.token.bytes),
                \(device.isDevelopment ? 1 : 0), \(device.poll?.bytes ?? []), \(device.registered),
                \(device.credential))
            ON CONFLICT (tenant_id, digest) DO UPDATE SET "user" = excluded."user", token = excluded.token,
                development = excluded.development, poll = excluded.poll, registered = excluded.registered,
                credential = excluded.credential
            """)
    }

    /// Forgets the devices of a user beyond a number. The ones registered longest ago go first.
    func removeWakeDevices(tenantID: Int64, user: String, beyond limit: Int) throws {
        // The limit has no effect, but some databases allow OFFSET only after LIMIT.
        try execute(
            """
            DELETE FROM wake_device WHERE tenant_id = \(tenantID) AND digest IN (
                SELECT digest FROM wake_device WHERE tenant_id = \(tenantID) AND "user" = \(user)
                ORDER BY registered DESC, digest LIMIT \(Int64.max) OFFSET \(limit))
            """)
    }

    /// Forgets a device, unless it was registered again after a time. Returns false if it stays, or was gone already.
    func removeWakeDevice(tenantID: Int64, _ token: WakeToken, registeredUpTo time: Int64) throws -> Bool {
        try execute(
            """
            DELETE FROM wake_device
            WHERE tenant_id = \(tenantID) AND digest = \(token.digest.bytes) AND registered <= \(time)
            """) > 0
    }
}
