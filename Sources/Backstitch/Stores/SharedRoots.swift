package import Foundation

/// The objects of a zone that its owner shares with the user one by one, each with all that hangs on it by the
/// relationship that its entity names as that to the parent (``EntityDescription/parent(_:)``). The user's right to an
/// object is the best of those that come from it and from the objects above it.
///
/// A journal keeps them for each such zone (``JournalWriting/setSharedRoots(_:zone:)``), so that saves know them.
public struct SharedRoots: Sendable, Hashable {
    /// The rights of the user to one of these objects and to what hangs on it.
    public struct Rights: Sendable, Hashable {
        /// Whether the user may change, add and delete there.
        public var mayWrite: Bool
        /// Whether the user may take objects away from there, to below another one that is shared.
        public var administers: Bool

        /// Rights, those of a reader unless said otherwise.
        public init(mayWrite: Bool = false, administers: Bool = false) {
            (self.mayWrite, self.administers) = (mayWrite, administers)
        }
    }

    /// The rights by the keys of the objects.
    public var rights: [ObjectKey: Rights]

    /// Whether there is none.
    public var isEmpty: Bool { rights.isEmpty }

    /// Objects with the rights to them.
    public init(_ rights: [ObjectKey: Rights] = [:]) { self.rights = rights }

    /// Whether the user may change something that these objects are, or are above.
    package func mayWrite(below keys: Set<ObjectKey>) -> Bool { keys.contains { rights[$0]?.mayWrite == true } }

    /// Those of some objects that are shared.
    package func roots(among keys: Set<ObjectKey>) -> Set<ObjectKey> { keys.filter { rights[$0] != nil } }

    /// Whether the user may take an object away from below some objects: all those that are shared must be
    /// administered.
    package func mayLeave(_ keys: Set<ObjectKey>) -> Bool { keys.allSatisfy { rights[$0]?.administers ?? true } }
}

extension SharedRoots {
    private static let length = 17

    /// Reads what ``storedForm`` gave; nil where nothing can be made of it.
    package init?(storedForm: Data) {
        let bytes = Array(storedForm)
        guard bytes.count.isMultiple(of: Self.length) else { return nil }
        rights = [:]
        for start in stride(from: 0, to: bytes.count, by: Self.length) {
            guard let key = ObjectKey.keys(Array(bytes[start..<start + 16]))?.first else { return nil }
            let flags = bytes[start + 16]
            rights[key] = Rights(mayWrite: flags & 1 != 0, administers: flags & 2 != 0)
        }
    }

    /// Sixteen bytes of each key, and one for the rights, in the order of keys.
    package var storedForm: Data {
        var bytes: [UInt8] = []
        for (key, rights) in rights.sorted(by: { $0.key < $1.key }) {
            bytes += ObjectKey.bytes([key])
            bytes.append((rights.mayWrite ? 1 : 0) | (rights.administers ? 2 : 0))
        }
        return Data(bytes)
    }
}
