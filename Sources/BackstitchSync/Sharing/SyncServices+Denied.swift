import Backstitch
import BackstitchSupport
import CloudWire

extension SyncServices {
    /// The reply with what becomes of changes that the server has denied, in a zone of somebody else or of all: they
    /// are taken back, by the records that are there. Where the zone's share gives the right, it is not the share that
    /// denies them (a token that only reads, say): they are refused, and kept; so they are in the public database where
    /// the token is for no change at all.
    func withRecordsOfDenied(_ reply: PushReply, of batch: PushBatch) async throws -> PushReply {
        let denied = reply.answers.enumerated().compactMap { position, answer in
            if case .denied(let reason, _) = answer { (position: position, reason: reason) } else { nil }
        }
        guard settings.isOfOthers, !denied.isEmpty else { return reply }
        var reply = reply
        if try await isOfToken() {
            for item in denied { reply.answers[item.position] = .refused(reason: item.reason) }
            return reply
        }
        for part in denied.parts(of: min(client.limits.operations, 200)) {
            let names = part.map { batch.items[$0.position].operation.record.recordName }
            for (item, record) in zip(part, try await client.records(named: names)) {
                reply.answers[item.position] = .denied(reason: item.reason, record)
            }
        }
        return reply
    }

    /// Whether it is the token that denies changes, and not the rights of its user, who may have them again by now.
    private func isOfToken() async throws -> Bool {
        // Shares of single objects give several rights, and what is public has none.
        let share = settings.isPublic ? nil : try await client.share()
        if let share, share.share?.currentUserParticipant?.permission != .readWrite { return false }
        return try await !client.mayChangeAnything()
    }
}

extension PushReply.Answer {
    /// The answer to a change that cannot be sent.
    init(_ fault: RecordFault) {
        if fault.isHeld {
            self = .held(reason: fault.reason)
        } else {
            self = fault.isDenied ? .denied(reason: fault.reason, nil) : .refused(reason: fault.reason)
        }
    }
}
