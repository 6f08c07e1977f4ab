import CloudWire

@testable import BackstitchServer

/// The records that participants may see and change, as plain sets: exactly the rules of Documentation/Access.md.
struct RecordShareModel {
    struct Record: Hashable {
        var parent: String?
        var title: String
    }

    struct Share: Hashable {
        var root: String
        /// The rights of those who have accepted.
        var guests: [String: Rights] = [:]
    }

    enum Rights: CaseIterable {
        case none, reads, writes, administers

        var permission: SharePermission {
            switch self {
            case .none: .none
            case .reads: .readOnly
            case .writes, .administers: .readWrite
            }
        }

        var mayRead: Bool { self != .none }
        var mayWrite: Bool { self == .writes || self == .administers }
    }

    /// Live records by name, without shares.
    var records: [String: Record] = [:]
    var shares: [String: Share] = [:]

    /// The shares that show a record.
    func shows(_ name: String) -> Set<String> {
        var found: Set<String> = shares[name] == nil ? [] : [name], seen: Set<String> = [], next: String? = name
        while let name = next, let record = records[name], seen.insert(name).inserted {
            for (share, about) in shares where about.root == name { found.insert(share) }
            next = record.parent
        }
        return found
    }

    private func parts(of guest: String, _ fits: (Rights) -> Bool) -> Set<String> {
        Set(shares.filter { $0.value.guests[guest].map(fits) ?? false }.keys)
    }

    /// The sight of a guest: the title of each record, and the presence of each share.
    func sight(of guest: String) -> [String: String] {
        let mine = parts(of: guest, \.mayRead)
        var sight: [String: String] = [:]
        for (name, record) in records where !shows(name).isDisjoint(with: mine) { sight[name] = record.title }
        for name in mine { sight[name] = "Share \(name)" }
        return sight
    }

    func mayEnter(_ guest: String) -> Bool { !parts(of: guest, \.mayRead).isEmpty }

    func isRoot(_ name: String) -> Bool { shares.contains { $0.value.root == name } }

    /// Removes a record, and the share of this root.
    mutating func delete(_ name: String) {
        records[name] = nil
        shares = shares.filter { $0.value.root != name }
    }

    /// How a guest's save of a record ends; nil when it is taken.
    func refusal(of guest: String, saving name: String, as record: Record) -> WireErrorCode? {
        guard mayEnter(guest) else { return .zoneNotFound }
        let writable = parts(of: guest, \.mayWrite), before = shows(name)
        var next = self
        next.records[name] = record
        if isRoot(name) { next.records[name]?.parent = records[name]?.parent }
        let after = next.shows(name)
        guard !after.isDisjoint(with: writable) else { return .accessDenied }
        if records[name] != nil {
            guard !before.isDisjoint(with: writable) else { return .accessDenied }
            // The parent of a root stays, and is shown only by another share that shows both.
            if isRoot(name), let parent = record.parent {
                let others = before.intersection(parts(of: guest, \.mayRead)).filter { shares[$0]?.root != name }
                guard parent == records[name]?.parent, !others.isEmpty else { return .accessDenied }
            }
            let administered = parts(of: guest) { $0 == .administers }
            guard before.subtracting(after).isSubset(of: administered) else { return .accessDenied }
        }
        return nil
    }

    /// How a guest's deletion ends; nil when it is taken.
    func refusal(of guest: String, deleting name: String) -> WireErrorCode? {
        guard mayEnter(guest) else { return .zoneNotFound }
        let writable = parts(of: guest, \.mayWrite)
        if writable.isEmpty { return .accessDenied }
        guard sight(of: guest)[name] != nil else { return nil }
        return shows(name).isDisjoint(with: writable) || isRoot(name) ? .accessDenied : nil
    }
}
