import Backstitch
import CloudWire
import Foundation

/// Computes the ``ZoneKeysView`` of a zone from the notes about its keys.
struct ZoneKeysJudge: Sendable {
    /// Whether the zone is the user's own.
    let isOwn: Bool
    let zone: String
    let place: ZoneKeysPlace
    let identities: [ShareIdentity]
    let trust: ParticipantKeyTrust

    /// The view, and the notes to be stored from now on.
    func view(of known: ZoneKeysNotes) async throws -> (view: ZoneKeysView, notes: ZoneKeysNotes) {
        var notes = known, view = ZoneKeysView()
        guard let identity = identities.first else {
            view.problem = "the provider has no share identity"
            return (view, notes)
        }
        if !isOwn { await pin(ownersOnly: true, &notes) }
        take(&notes, &view)
        if isOwn {
            await pin(ownersOnly: false, &notes)
        } else if view.keys == nil, view.problem == nil {
            view.problem = view.fault ?? "the owner's device has not given the zone its keys yet"
        }
        let told = telling(notes, &view, identity)
        view.duty = try told.map { .tell($0) } ?? (isOwn ? writing(notes, view, identity) : nil)
        return (view, notes)
    }

    /// Accepts the record on the server, unless it is faulty or older than the trusted one.
    private func take(_ notes: inout ZoneKeysNotes, _ view: inout ZoneKeysView) {
        let sealers = Set(isOwn ? identities.map(\.publicKey) : [notes.pins[place.owner]?.trusted].compactMap(\.self))
        var latest: (generation: Int64, sealer: Data)?
        if let trusted = notes.trusted {
            do throws(ZoneKeysFault) {
                let document = try ZoneKeysDocument(trusted)
                latest = (document.generation, document.sealer)
                // Its sealer was trusted when the document was accepted.
                let former = (try? SharePublicKey(data: document.sealer)).map { [$0] } ?? []
                view.keys = try ZoneKeys(document, with: identities, from: Set(former), at: place)
            } catch { view.problem = "the keys of the zone cannot be opened here: \(error.reason)" }
        }
        guard let record = notes.record else { return }
        do throws(ZoneKeysFault) {
            let document = try ZoneKeysDocument(record)
            guard case .bytes(let bytes)? = record.value(ZoneKeysDocument.field), bytes != notes.trusted else { return }
            let keys = try ZoneKeys(document, with: identities, from: sealers, at: place)
            // An owner without the former identity starts to count anew with a new one. A guest trusts only one of the
            // two identities, so older documents of the former one are no longer accepted.
            if let latest, isOwn || latest.sealer == document.sealer, keys.generation <= latest.generation {
                throw ZoneKeysFault(
                    "its generation \(keys.generation) is not later than \(latest.generation), which this device "
                        + "already has"
                )
            }
            (view.keys, view.problem, notes.trusted) = (keys, nil, bytes)
            guard isOwn else { return }
            // Another device of the user has decided about these keys.
            for recipient in keys.recipients where recipient.user != place.owner {
                var pin = notes.pin(of: recipient.user)
                pin.trusted = recipient.key
                // The first document seen in a zone may be an old one, shown again by the server.
                notes.setPin(pin, of: recipient.user, isDecided: latest?.sealer == document.sealer)
            }
        } catch {
            view.fault =
                "the record \(ZoneKeysDocument.recordName) of the zone \"\(zone)\" is not accepted: \(error.reason)"
        }
    }

    /// Decides about the public keys shown by the share.
    private func pin(ownersOnly: Bool, _ notes: inout ZoneKeysNotes) async {
        for participant in notes.share?.share?.participants ?? [] {
            guard let user = participant.userIdentity.userRecordName, participant.acceptanceStatus == .accepted,
                (participant.type == .owner) == ownersOnly, ownersOnly ? user == place.owner : user != place.owner,
                let key = SharePublicKey(wireText: participant.publicKey)
            else { continue }
            var pin = notes.pin(of: user), isTrusted = false
            if pin.trusted != key, pin.refused != key {
                let question = ParticipantKey(
                    zone: zone, userRecordName: user, role: Share.Participant.Role(participant.type), publicKey: key,
                    trustedKey: pin.trusted)
                isTrusted = await trust.decide(question)
                if isTrusted { pin = KeyPin(trusted: key) } else { pin.refused = key }
            }
            notes.setPin(pin, of: user, isDecided: isTrusted)
        }
    }

    // MARK: Of the owner's device

    /// The keys to be written, if the zone needs others than it has.
    private func writing(
        _ notes: ZoneKeysNotes, _ view: ZoneKeysView, _ identity: ShareIdentity
    ) throws -> ZoneKeysView.Duty? {
        // Another device may be able to open the keys. A device with another identity writes its own.
        guard notes.share != nil || notes.trusted != nil, view.problem == nil else { return nil }
        let wanted = recipients(notes, identity)
        guard let keys = view.keys else {
            return .write(
                ZoneKeys(
                    generation: 1, current: try ZoneKeys.newKey(), former: [], sealer: identity.publicKey,
                    recipients: wanted), identity)
        }
        let isThere = notes.record?.value(ZoneKeysDocument.field) == notes.trusted.map(WireValue.bytes)
        let loses = !Set(keys.recipients).isSubset(of: wanted)
        guard loses || Set(keys.recipients) != Set(wanted) || keys.sealer != identity.publicKey || !isThere else {
            return nil
        }
        var next = keys
        (next.generation, next.sealer, next.recipients) = (
            max(keys.generation, generationOnServer(notes)) + 1, identity.publicKey, wanted
        )
        if loses {
            next.former.insert(keys.current, at: 0)
            next.current = try ZoneKeys.newKey()
        }
        return .write(next, identity)
    }

    /// The generation of the record on the server, if it was sealed by one of this user's identities; otherwise 0.
    private func generationOnServer(_ notes: ZoneKeysNotes) -> Int64 {
        guard let record = notes.record, let document = try? ZoneKeysDocument(record),
            (try? ZoneKeys(document, with: identities, from: Set(identities.map(\.publicKey)), at: place)) != nil
        else { return 0 }
        return document.generation
    }

    /// The owner, and all participants with a trusted key, up to ``ZoneKeysDocument/mostRecipients`` in all.
    private func recipients(_ notes: ZoneKeysNotes, _ identity: ShareIdentity) -> [ZoneKeys.Recipient] {
        let guests = (notes.share?.share?.participants ?? []).filter {
            $0.type != .owner && $0.acceptanceStatus == .accepted
        }.compactMap(\.userIdentity.userRecordName)
        return [ZoneKeys.Recipient(user: place.owner, key: identity.publicKey)]
            + Set(guests).subtracting([place.owner]).sorted().compactMap { user in
                notes.pins[user]?.trusted.map { ZoneKeys.Recipient(user: user, key: $0) }
            }.prefix(ZoneKeysDocument.mostRecipients - 1)
    }

    // MARK: Of everybody's device

    /// The public key to be told for the zone's share; nil if the server already has it.
    private func telling(
        _ notes: ZoneKeysNotes, _ view: inout ZoneKeysView, _ identity: ShareIdentity
    ) -> SharePublicKey? {
        guard let user = notes.share?.share?.currentUserParticipant, notes.share?.share?.shortGUID != nil,
            user.acceptanceStatus == .accepted
        else { return nil }
        let key = identity.publicKey
        guard user.publicKey != key.wireText else { return nil }
        // Another device has told a different key since. Without this check the two would replace each other's key for
        // ever.
        guard user.publicKey == nil || notes.told != key.wireText else {
            let shown = SharePublicKey(wireText: user.publicKey)?.fingerprint ?? "an invalid one"
            view.problem =
                "the server shows another public key of this user (\(shown)) than this device's (\(key.fingerprint)): another "
                + "device has another share identity, or the server lies"
            return nil
        }
        return key
    }
}
