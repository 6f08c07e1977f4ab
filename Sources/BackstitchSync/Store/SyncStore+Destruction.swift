public import Backstitch
import CloudWire

extension SyncStore {
    /// Deletes a synced store's zones on the server with all their records, their subscriptions and the store's push
    /// tokens, without opening the store. It is for a user who leaves, or for a store with a lost file.
    ///
    /// A subscription to the whole database stays, because other stores of the user may use it. If the server does not
    /// list its zones (`changes/database`), only the main zone is deleted.
    ///
    /// The push tokens were created by the zone's stores to receive notifications, on all of the user's devices. They
    /// are deleted even if such a store is open, or was closed long ago: no notification is posted to them or kept for
    /// them any more. Tokens of other zones' stores stay. Plain servers of CloudKit Web Services have no operation for
    /// this. There, and for tokens of an earlier version, a token expires after some time without a wait (30 days on
    /// this project's server).
    /// ```swift
    /// try await SyncStore.destroyZones(options: [.syncServerURL: "https://example.org", .syncWebAuthToken: token])
    /// try PersistentStoreCoordinator.destroyPersistentStore(at: file, type: .sync, options: options)
    /// ```
    /// Devices with the open store find that its zones are gone, and follow their
    /// ``Backstitch/StoreOption/syncResetPolicy``; if they continue, they create new tokens. Nothing is deleted on this
    /// device. Missing zones and tokens are no error, so the call can be repeated.
    ///
    /// - Parameter options: The options for opening the store. A renewed token is read from the option
    ///   ``Backstitch/StoreOption/syncCredentialStore``; the file beside the store is not read.
    /// - Throws: ``BackstitchError/Code/invalidOption`` with every fault; ``BackstitchError/Code/readOnly`` under the
    ///   option ``Backstitch/StoreOption/syncReadOnly``; a ``BackstitchError`` when the server cannot be asked, or
    ///   refuses. Some of the zones may already be deleted then, and the push tokens may not.
    public static func destroyZones(options: [StoreOption: any Sendable]) async throws {
        let specifications = try optionSpecifications(for: options) + OptionSpecification.common
        let options = try SyncOptions(StoreOptions(options, specifications: specifications), model: nil)
        try options.requireWriting()
        try options.requireOwnZones("delete zones", else: "leave a share with sync.sharing.leave(zoneNamed:)")
        let transport = try HTTPTransport(clock: SystemClock(), trustRoots: options.trustRoots)
        let client = CloudClient(options: options, transport: transport)
        do {
            // The main zone is deleted last: as long as it exists, the others can be found again.
            for zone in try await client.furtherZones() { try await client.serving(zone).deleteZone() }
            try await client.deleteZone()
            // Waiting devices have been notified of the deletion by now.
            try await client.unregisterPushListeners()
        } catch { throw SyncFailure(any: error).error }
    }
}

extension CloudClient {
    /// Returns the store's zones on the server, except the main one.
    fileprivate func furtherZones() async throws -> [ZoneID] {
        var found: Set<String> = []
        var token: String?
        // No user has as many zones: a longer list is treated as useless.
        for _ in 0..<100 {
            guard let page = try await changedZones(after: token) else { break }
            for case .zone(let info) in page.zones where names.inProgram(info.zoneID) != nil {
                if info.deleted == true {
                    found.remove(info.zoneID.zoneName)
                } else {
                    found.insert(info.zoneID.zoneName)
                }
            }
            guard page.moreComing, page.syncToken != token else { break }
            token = page.syncToken
        }
        return found.sorted().map { ZoneID(zoneName: $0) }
    }
}
