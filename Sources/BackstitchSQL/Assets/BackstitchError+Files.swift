package import Backstitch
import BackstitchSupport
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension BackstitchError {
    /// Runs `body` and turns a failed file call into an error for users of stores: the call, the reason, and possible
    /// help.
    package static func onFiles<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SystemError {
            throw BackstitchError(error)
        } catch let error as FileContent.Changed {
            throw BackstitchError.hasChanged(error.path)
        } catch let error as ContentFolder.LosesDrafts {
            throw BackstitchError(
                .asset,
                "files in \(error.folder.drafts) disappear while they are written; keep other programs out of "
                    + "that folder",
                key: error.folder.path)
        }
    }

    private init(_ error: SystemError) {
        let fault = "could not \(error.action) \(error.path)"
        if let cause = error.cause {
            let advice = error.call == "read" ? "; check the disk and the file's mode" : ""
            self.init(.storeFailure, fault + advice, cause: cause)
            return
        }
        let advice =
            switch error.number {
            case ENOSPC, EDQUOT: "; free some space and try again"
            case EACCES, EPERM, EROFS: "; give the program the right to write there"
            case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP: "; check that its folder exists and is a folder"
            default: ""
            }
        self.init(
            .storeFailure, "\(fault): \(error.reason)\(advice)",
            cause: NSError(domain: NSPOSIXErrorDomain, code: Int(error.number)))
    }
}
