import Foundation
import TestSupport

// The program `SyncProbe`: a device in a process of its own. It does the tasks on the lines that it receives.
extension TestProcess {
    /// Starts a device on the store in a folder.
    convenience init(_ world: SyncWorld, folder: URL, server: URL? = nil) throws {
        try self.init(place: folder.path, server: server ?? world.url)
    }

    /// Starts a device on the store in a folder, or in a database, with further options as `name=text`.
    convenience init(place: String, server: URL, options: [String] = []) throws {
        try self.init("SyncProbe", [place, server.absoluteString, "Backstitch"] + options, errors: .discarded)
    }
}
