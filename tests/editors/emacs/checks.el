;; What the checks of both clients share.
(setq debug-on-error nil)
(package-initialize)
(require 'flymake)

(defvar checks-passed 0)
(defvar checks-failed 0)
(defvar checks-client "")

(defun ok (name condition &optional extra)
  "Print a line that says whether the check NAME passed."
  (if condition (setq checks-passed (1+ checks-passed)) (setq checks-failed (1+ checks-failed)))
  (princ (format "%s emacs %d, %s: %s%s\n" (if condition "ok" "not ok") emacs-major-version checks-client name
                 (if extra (format "  # %s" extra) ""))))

(defun wait-until (predicate seconds)
  "Call PREDICATE until it answers something, for some SECONDS at most."
  (let ((end (+ (float-time) seconds)) result)
    (while (and (not (setq result (funcall predicate))) (< (float-time) end))
      (accept-process-output nil 0.05))
    result))

(defun flymake-findings ()
  "Return the diagnostics that this buffer shows."
  (flymake-start)
  (delq nil (mapcar (lambda (overlay) (overlay-get overlay 'flymake-diagnostic))
                    (overlays-in (point-min) (point-max)))))

(defun finish ()
  "Print the sum, and end Emacs with it."
  (princ (format "%d passed, %d failed\n" checks-passed checks-failed))
  (kill-emacs (if (= checks-failed 0) 0 1)))
