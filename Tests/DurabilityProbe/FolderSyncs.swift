import BackstitchSupport
import CDiskCalls
import Foundation

/// Gives content its name below folders that another process has made, and may not have synced. Prints `folders`: the
/// number of folders synced by that.
struct FolderSyncs {
    let folder: URL

    init(_ folder: URL) { self.folder = folder }

    func run() throws {
        let files = ContentFolder(folder.appending(path: "content").path, drafts: "drafts")
        for level in ["drafts", "aa/bb"] {
            try FileManager.default.createDirectory(
                atPath: files.path + "/" + level, withIntermediateDirectories: true)
        }
        let draft = files.drafts + "/incoming"
        try FileCalls.create(draft)?.close()
        let before = folder_syncs_so_far()
        try files.adopt(draft, as: "aa/bb/one")
        print("folders \(folder_syncs_so_far() - before)")
    }
}
