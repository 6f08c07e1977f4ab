import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// The reply with decisions about denied changes, in another user's zone or in the public database:
    ///
    /// - Normally they are taken back, and the server's records take their place.
    /// - If the zone's share grants the right, the token must be the cause, for example a read-only token. The changes
    ///   are kept, and wait for another token.
    /// - In the public database the same holds if the token allows no change at all. Otherwise the user's rights are
    ///   read again, so that saves know them.
    func withRecordsOfDenied(_ reply: PushReply, of batch: PushBatch) async throws -> PushReply {
        var reply = try await withParentlessDenied(reply, of: batch)
        let denied = reply.answers.enumerated().compactMap { position, answer in
            if case .denied(let reason, _) = answer { (position: position, reason: reason) } else { nil }
        }
        guard settings.isOfOthers, !denied.isEmpty else { return reply }
        if try await isOfToken() {
            for item in denied { reply.answers[item.position] = .unauthorized(reason: item.reason) }
            return reply
        }
        if settings.isPublic { try await readPublicRightsAgain() }
        for part in denied.parts(of: min(client.limits.operations, 200)) {
            let names = part.map { batch.items[$0.position].operation.record.recordName }
            for (item, record) in zip(part, try await client.records(named: names)) {
                reply.answers[item.position] = .denied(reason: item.reason, record)
            }
        }
        return reply
    }

    /// The reply with parentless changes as denied, in another user's zone. A guest can make nothing there without a
    /// parent. A parent unknown here is either not visible to the guest, or deleted.
    private func withParentlessDenied(_ reply: PushReply, of batch: PushBatch) async throws -> PushReply {
        guard settings.isOfOthers, reply.answers.contains(where: \.isParentless) else { return reply }
        let parents = batch.items.map { item in
            item.operation.record.parent.map { RecordName.key(of: $0.recordName, zone: settings.zone).key }
        }
        let known = try await onStore { [settings] store in
            try store.readJournal { journal in
                try KnownParents(
                    of: Set(parents.compactMap(\.self)), inZone: settings.zoneNumber,
                    followsMoves: settings.followsMoves, journal)
            }
        }
        var reply = reply
        for (index, parent) in parents.enumerated() {
            guard case .parentless(let reason) = reply.answers[index], let parent, known.missing.contains(parent)
            else { continue }
            reply.answers[index] = .denied(reason: reason, nil)
        }
        return reply
    }

    /// Whether the token denies changes, and not the user's rights. The user may have the rights again by now.
    private func isOfToken() async throws -> Bool {
        // Shares of single objects give different rights, and a public zone has no share.
        let share = settings.isPublic ? nil : try await client.share()
        if let share, share.share?.currentUserParticipant?.permission != .readWrite { return false }
        return try await !client.mayChangeAnything()
    }
}

// The rights in the public database.
extension SyncServices {
    /// Returns the user's present rights in the public database. This project's server names them. Another server of
    /// CloudKit's wire has no request for them, so the option ``Backstitch/StoreOption/syncPublicRights`` decides, or
    /// CloudKit's defaults.
    func publicRights() async throws -> CreatorRights {
        // Changes that were saved before a sign-in are sent after it. So they are not refused.
        guard client.isSignedIn else { return CreatorRights(user: nil) }
        if client.hasExtensions, let caller = try await client.caller(), let rights = caller.publicRights {
            return CreatorRights(user: caller.userRecordName, rights, in: settings.model)
        }
        let user = try await onStore { try $0.readJournal { try $0.value(of: .account) } }
        return CreatorRights(user: user, entities: client.options.publicRights)
    }

    /// Reads the rights again after the server has denied a change: they are no longer those of the journal.
    func readPublicRightsAgain() async throws {
        let rights = try await publicRights()
        let areNew = try await onStore { store in
            try store.writeJournal(author: SyncAuthor.name) { try rights.note(in: $0) }
        }
        if areNew { bell.ring() }
    }
}

extension PushReply.Answer {
    fileprivate var isParentless: Bool { if case .parentless = self { true } else { false } }

    /// The answer to a change that cannot be sent.
    init(_ fault: RecordFault) {
        if fault.isHeld {
            self = .held(reason: fault.reason)
        } else {
            self = fault.isDenied ? .denied(reason: fault.reason, nil) : .refused(reason: fault.reason)
        }
    }
}
