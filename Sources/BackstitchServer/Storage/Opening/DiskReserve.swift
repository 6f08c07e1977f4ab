import BackstitchSupport
import Foundation

/// The file `zones.reserve` beside a database. It keeps room on the disk, and has no data of the storage.
///
/// On a full disk the file is emptied. Then writes that free space succeed, and a server can start. The file is filled
/// again when there is room.
struct DiskReserve: Sendable {
    /// The bytes of a whole reserve.
    static let size: Int64 = 8 << 20

    private let path: String

    /// The reserve in a storage's directory. The file is not touched.
    ///
    /// - Throws: ``ZoneServerError`` if the path is a link.
    init(directory: URL) throws {
        let file = directory.appendingPathComponent("zones.reserve")
        try PrivateFolder.refuseLink(file)
        path = file.path
    }

    /// The bytes of the file; 0 if there is none.
    var length: Int64 { FileCalls.size(of: path) ?? 0 }

    /// Empties the file, so that other files get its room.
    func giveUp() throws {
        guard length > 0, let file = try FileCalls.openToAppend(path, makes: false) else { return }
        defer { file.close() }
        try file.empty()
    }

    /// Lengthens the file by a number of bytes. They are on the disk when it returns.
    func lengthen(by count: Int64) throws {
        guard count > 0, let file = try FileCalls.openToAppend(path, makes: true) else { return }
        defer { file.close() }
        let portion = Self.portion
        for start in stride(from: 0, to: count, by: portion.count) {
            try file.write(portion.prefix(Int(min(count - start, Int64(portion.count)))))
        }
        try file.sync()
    }

    /// Bytes without a pattern (SplitMix64), because a file system that compresses would keep no room for zeros.
    private static let portion: Data = {
        var state: UInt64 = 0
        let words = (0..<32_768).map { _ in
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
        return words.withUnsafeBytes { Data($0) }
    }()
}
