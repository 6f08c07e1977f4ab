import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The keys of a store's zones. A shared zone has keys sealed by its owner for the participants. Other zones have the
/// keys of the program's provider.
///
/// The knowledge about them is in the store (``ZoneKeysNotes``). This class holds the opened keys.
final class SharedZoneKeys: EncryptionKeyProvider {
    private struct State: Sendable {
        var known: [String: (notes: ZoneKeysNotes, view: ZoneKeysView)] = [:]
        /// Pages about to be applied, by zone.
        var offered: [String: FetchedPage] = [:]
        /// Steps refused by the server, with the notes that led to them.
        var refused: [String: (notes: ZoneKeysNotes, reason: String)] = [:]
        var tell: @Sendable (SyncEvent) -> Void = { _ in }
        /// The numbers of zones by their names in the program.
        var numbers: [String: Int64] = ["": 0]
    }

    private let program: (any EncryptionKeyProvider)?
    private let identity: any ShareIdentityProvider
    private let trust: ParticipantKeyTrust
    private let options: SyncOptions
    private let names: ZoneNames
    private let backing: any JournalingStore
    private let workers: WorkerPool
    private let gate: RequestGate
    private let state = Locked(State())

    init(
        _ identity: any ShareIdentityProvider, _ options: SyncOptions, backing: any JournalingStore,
        workers: WorkerPool, gate: RequestGate
    ) {
        (program, self.identity, trust) = (options.encryptionKeys, identity, options.keyTrust)
        (self.options, names, self.backing) = (options, ZoneNames(options), backing)
        (self.workers, self.gate) = (workers, gate)
    }

    private var isOwn: Bool { options.database == .private }

    // MARK: Keys

    /// The current key of a zone. Another user's zone has only sealed keys: values under a key of this user alone would
    /// be unreadable to all others.
    func currentKey(inZone zone: String) async throws -> EncryptionKey {
        let view = try await view(of: zone).view
        if let keys = view.keys { return keys.current }
        guard isOwn, view.problem == nil, let program else {
            throw BackstitchError(
                .storeFailure, view.problem ?? "the zone \"\(zone)\" is not shared with keys of its own")
        }
        return try await program.currentKey(inZone: zone)
    }

    func key(withID id: String, inZone zone: String) async throws -> EncryptionKey? {
        if let key = try await view(of: zone).view.keys?[id] { return key }
        // A moved object brings values under a key of its former zone.
        let others = state.withLock { $0.known.values.lazy.compactMap { $0.view.keys?[id] }.first }
        if let others { return others }
        return try await program?.key(withID: id, inZone: zone)
    }

    func replacedKeyIDs(inZone zone: String) async throws -> Set<String> {
        guard let keys = try await view(of: zone).view.keys else {
            return isOwn ? try await program?.replacedKeyIDs(inZone: zone) ?? [] : []
        }
        var ids = Set(keys.former.map(\.id))
        if isOwn, let program {
            ids.formUnion(try await program.replacedKeyIDs(inZone: zone))
            ids.insert(try await program.currentKey(inZone: zone).id)
        }
        return ids
    }

    /// The user's public key. Nil if the provider cannot give it now: it is then told later.
    func ownKey() async -> SharePublicKey? { try? await identity.identities().first?.publicKey }

    // MARK: What is known

    /// Everything known about the keys of a zone, and the resulting view.
    func view(of zone: String) async throws -> (notes: ZoneKeysNotes, view: ZoneKeysView) {
        var notes = try await notes(of: zone)
        let known = state.withLock { $0.known[zone] }
        // A view with a problem is computed again: the identity may be available by now.
        if let known, known.notes == notes, known.view.problem == nil { return known }
        guard notes.share != nil || notes.record != nil || notes.trusted != nil else {
            return remember(zone, notes, ZoneKeysView())
        }
        guard let place = place(of: zone, notes) else {
            return remember(zone, notes, ZoneKeysView(problem: "it is not known yet whose zone it is"))
        }
        let identities: [ShareIdentity]
        do { identities = try await identity.identities() } catch {
            let fault = EncryptionKeyFault("the provider could not give the share identity", error)
            return remember(zone, notes, ZoneKeysView(problem: fault.reason))
        }
        let judge = ZoneKeysJudge(isOwn: isOwn, zone: zone, place: place, identities: identities, trust: trust)
        let (view, judged) = try await judge.view(of: notes)
        if judged != notes { try await write(judged, over: notes, zone) }
        tellRefused(in: judged, but: notes, zone)
        notes = judged
        notes.endDecisions()
        return remember(zone, notes, view)
    }

    private func remember(
        _ zone: String, _ notes: ZoneKeysNotes, _ view: ZoneKeysView
    ) -> (notes: ZoneKeysNotes, view: ZoneKeysView) {
        state.withLock { $0.known[zone] = (notes, view) }
        return (notes, view)
    }

    /// The keys opened by the last look.
    func opened(in zone: String) -> ZoneKeys? { state.withLock { $0.known[zone]?.view.keys } }

    /// The next step for the keys of a zone on the server, as found by the last look. Nil if there is none, or if the
    /// server has refused it.
    func duty(in zone: String) -> (notes: ZoneKeysNotes, duty: ZoneKeysView.Duty)? {
        guard !options.isReadOnly else { return nil }
        return state.withLock { state in
            guard let known = state.known[zone], let duty = known.view.duty, state.refused[zone]?.notes != known.notes
            else { return nil }
            return (known.notes, duty)
        }
    }

    /// Notes a step refused by the server. It is tried again only after the notes have changed.
    func noteRefusal(_ reason: String, in zone: String, _ notes: ZoneKeysNotes) {
        state.withLock { $0.refused[zone] = (notes, reason) }
    }

    /// The problems with the keys of zones, by the zones' names, as found by the last look.
    var problems: [String: String] {
        state.withLock { state in
            var problems = state.known.compactMapValues { $0.view.problem ?? $0.view.fault }
            for (zone, refusal) in state.refused where state.known[zone]?.notes == refusal.notes {
                problems[zone] = refusal.reason
            }
            return problems
        }
    }

    /// The relevant public keys of a zone: those of the guests in the user's own zone, the owner's in another user's
    /// zone.
    func participantKeys(inZone zone: String) async throws -> [ParticipantKey] {
        try await view(of: zone).notes.participantKeys(inZone: zone).filter { isOwn || $0.role == .owner }
    }

    /// Makes the keys and shares of a page available to the steps that apply it. The steps that read its records come
    /// before the steps that write them.
    func offer(_ page: FetchedPage, in zone: String) { state.withLock { $0.offered[zone] = page } }

    /// Forgets the offered page after it was applied, or after that failed.
    func takeBack(_ zone: String) { state.withLock { $0.offered[zone] = nil } }

    /// Sets the number of the zone with this name.
    func meet(_ zone: String, number: Int64) { state.withLock { $0.numbers[zone] = number } }

    /// Sets the receiver of events about keys.
    func onEvent(_ tell: @escaping @Sendable (SyncEvent) -> Void) { state.withLock { $0.tell = tell } }

    private func tellRefused(in notes: ZoneKeysNotes, but before: ZoneKeysNotes, _ zone: String) {
        let tell = state.withLock { $0.tell }
        for key in notes.participantKeys(inZone: zone) where key.state == .refused {
            let refused = notes.pins[key.userRecordName]?.refused
            guard refused != nil, before.pins[key.userRecordName]?.refused != refused else { continue }
            tell(.keyRefused(key))
        }
    }

    /// The identity of the zone for its keys; nil while its owner is unknown.
    func place(of zone: String, _ notes: ZoneKeysNotes) -> ZoneKeysPlace? {
        let onServer = zone.isEmpty ? ZoneID(zoneName: names.main) : names.onServer(zone)
        let named = notes.share?.share?.owner?.userIdentity.userRecordName
        guard let owner = onServer.ownerRecordName ?? notes.account ?? named else { return nil }
        return ZoneKeysPlace(
            container: options.container, environment: options.environment, owner: owner, zone: onServer.zoneName)
    }

    // MARK: The store

    private func notes(of zone: String) async throws -> ZoneKeysNotes {
        let (offered, number) = state.withLock { ($0.offered[zone], $0.numbers[zone]) }
        // A zone without a number has no notes.
        guard let number else { return ZoneKeysNotes() }
        var notes = try await workers.run { [gate, backing] in
            try gate.pass(orThrow: SyncEngine.closedError) {
                try backing.readJournal { try ZoneKeysNotes(ZoneReader($0, number)) }
            }
        }
        if let record = offered?.keysRecord, !record.deleted { notes.record = record }
        if let share = offered?.records.last(where: { $0.recordName == WireShare.zoneShareName }), !share.deleted {
            notes.share = share
        }
        return notes
    }

    /// Writes the decisions: public keys of participants, and a newly trusted document. If another process has decided
    /// since the store was read, its decision stands, and is seen by the next look.
    private func write(_ notes: ZoneKeysNotes, over read: ZoneKeysNotes, _ zone: String) async throws {
        guard let number = state.withLock({ $0.numbers[zone] }) else { return }
        try await workers.run { [gate, backing] in
            try gate.pass(orThrow: SyncEngine.closedError) {
                try backing.writeJournal(author: SyncAuthor.name) { journal in
                    // The zone may have gone meanwhile.
                    guard try number == 0 || journal.name(ofZone: number) != nil else { return }
                    let own = ZoneWriter(journal, number)
                    if notes.trusted != read.trusted, try own.value(of: .trustedKeys) == read.trusted {
                        try own.set(.trustedKeys, to: notes.trusted)
                    }
                    for (user, pin) in notes.pins
                    where try pin != read.pins[user] && own.note(.keyPin, of: user) == read.pins[user] {
                        try own.setKeyPin(pin, of: user, isDecided: notes.decided.contains(user))
                    }
                }
            }
        }
    }
}

extension SyncParts {
    /// The name of the record with the keys of a shared zone.
    package static let keysRecordName = ZoneKeysDocument.recordName

    /// The keys of a shared zone opened by this process, the current one first.
    ///
    /// - Parameter zone: The zone's name in the program; empty for the main one.
    package func openedKeys(ofZone zone: String) -> [EncryptionKey] {
        services.zoneKeys?.opened(in: zone).map { [$0.current] + $0.former } ?? []
    }
}

extension ZoneKeysNotes {
    /// The public keys of all participants except the user, in order of the users' record names.
    func participantKeys(inZone zone: String) -> [ParticipantKey] {
        let own = share?.share?.currentUserParticipant?.userIdentity.userRecordName
        return (share?.share?.participants ?? []).compactMap { participant in
            guard let user = participant.userIdentity.userRecordName, user != own,
                participant.acceptanceStatus == .accepted
            else { return nil }
            let shown = SharePublicKey(wireText: participant.publicKey)
            // Nothing is sealed for a key that the zone has not shown.
            let trusted = shown == nil ? pins[user]?.trusted : pin(of: user).trusted
            return ParticipantKey(
                zone: zone, userRecordName: user, role: Share.Participant.Role(participant.type), publicKey: shown,
                trustedKey: trusted)
        }.sorted { $0.userRecordName < $1.userRecordName }
    }
}
