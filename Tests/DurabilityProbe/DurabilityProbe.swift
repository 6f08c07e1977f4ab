import Backstitch
import CDiskCalls
import Foundation

/// Counts, from outside, how often the disk is waited for.
///
/// `DurabilityProbe server|upload|store|content|assets|folders FOLDER` prints lines of a word and numbers: see each
/// case.
@main
struct DurabilityProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, disk_calls_are_counted() == 1 else {
            throw BackstitchError(
                .invalidRequest,
                "usage: DurabilityProbe server|upload|store|content|assets|folders FOLDER, where calls can be counted")
        }
        let folder = URL(fileURLWithPath: arguments[2])
        switch arguments[1] {
        case "server": try await ServerSyncs(folder).run()
        case "upload": try await FailingUpload(folder).run()
        case "assets": try await AssetServer(folder).run()
        case "folders": try FolderSyncs(folder).run()
        case "content": try ContentSyncs(folder).run()
        case "store": try StoreSyncs(folder).run()
        default: throw BackstitchError(.invalidRequest, "unknown case '\(arguments[1])'")
        }
    }
}
